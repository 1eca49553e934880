"""Spanish verbs of the tutor's grammar: how they are conjugated and what follows them. "@" names a kind of object."""

# infinitive (stem change): what may follow
ACTIONS = """
hablar: español, inglés, con_mi_madre, mucho, por_teléfono, muy_rápido, con_el_profesor, francés_y_alemán, de_fútbol
trabajar: en_un_banco, en_casa, mucho, en_una_tienda, por_la_noche, con_mi_padre, en_un_hospital, aquí
estudiar: @school, @language, en_casa, en_la_biblioteca, mucho, para_el_examen, medicina, en_la_universidad
cantar: una_canción, muy_bien, en_un_coro, en_la_ducha
bailar: salsa, muy_bien, en_la_fiesta, toda_la_noche, conmigo
cocinar: @mass, la_cena, muy_bien, pasta, para_todos, paella
comprar: @object, @food, @clothing, @mass, pan, flores, un_coche, ropa
llevar: @clothing, gafas, los_libros, un_vestido_azul, una_mochila, a_los_niños_al_parque
tomar: café, un_té, el_sol, el_autobús, una_ducha, un_taxi, cerveza
mirar: la_televisión, las_fotos, por_la_ventana, el_mapa, la_luna
escuchar: música, la_radio, una_canción, al_profesor, las_noticias
esperar: el_autobús, en_la_puerta, una_carta, el_tren
llegar: tarde, a_las_ocho, a_casa, temprano, a_Madrid, al_trabajo
pagar: la_cuenta, el_alquiler, la_cena, con_tarjeta, los_libros
buscar: @object, las_llaves, trabajo, un_piso, a_su_perro
limpiar: la_casa, la_cocina, el_baño, los_cristales, el_coche
lavar: los_platos, la_ropa, el_coche, las_manzanas
caminar: por_el_parque, mucho, hasta_la_playa, muy_despacio
viajar: a_Italia, en_tren, mucho, por_el_mundo, con_amigos
visitar: a_sus_abuelos, el_museo, la_ciudad, a_mi_tía, muchos_países
preparar: la_cena, el_desayuno, la_maleta, un_pastel, el_examen
necesitar: @object, dinero, ayuda, más_tiempo, un_médico, descansar
dibujar: una_casa, muy_bien, un_mapa, animales
pintar: la_pared, un_cuadro, la_puerta, la_habitación
nadar: en_el_mar, muy_bien, en_la_piscina
ganar: el_partido, mucho_dinero, un_premio
gastar: mucho_dinero, poco, todo_en_ropa
dejar: las_llaves_en_casa, el_trabajo, la_puerta_abierta
olvidar: las_llaves, mi_nombre, el_paraguas, la_contraseña
tocar: @instrument, @instrument, en_una_banda
usar: @object, el_ordenador, mi_teléfono, gafas
ayudar: a_su_madre, a_los_vecinos, en_casa, mucho
invitar: a_sus_amigos, a_todos, a_mi_hermana
llamar: a_su_madre, por_teléfono, al_médico, un_taxi
terminar: el_trabajo, los_deberes, tarde, el_libro
entrar: en_la_casa, en_clase, por_la_ventana
descansar: en_el_sofá, los_domingos, un_rato
enseñar: @school, @language, en_una_escuela
contestar: el_teléfono, las_preguntas, mi_mensaje
cuidar: a_los_niños, a_su_abuela, el_jardín, al_perro
llorar: mucho, en_el_cine, toda_la_noche
fumar: mucho, diez_cigarrillos, en_el_balcón
practicar: @language, deporte, yoga, el_piano
sacar: la_basura, fotos, buenas_notas, al_perro
cenar: en_casa, a_las_nueve, pescado, fuera, muy_tarde
desayunar: café_y_tostadas, en_casa, a_las_ocho, fruta
comer: @food, @mass, en_casa, mucha_fruta, carne, a_las_dos, pescado, demasiado
beber: agua, @massdrink, leche, vino, mucho_café, un_vaso_de_agua
leer: un_libro, el_periódico, muchas_novelas, en_la_cama, una_revista
correr: por_el_parque, muy_rápido, todos_los_días, cinco_kilómetros
vender: @object, @food, su_casa, coches, fruta, flores
aprender: @language, a_nadar, mucho, palabras_nuevas
comprender: la_lección, el_problema, todo
creer: la_historia, en_Dios, a_su_amigo
responder: la_pregunta, al_correo, muy_bien
romper: @object, el_vaso, la_ventana, las_gafas
vivir: en_Madrid, con_sus_padres, en_un_piso, cerca_del_mar, en_México, aquí, en_una_casa_grande, solo_en_Lima
escribir: una_carta, un_libro, correos, poemas, en_el_cuaderno, a_su_amiga
abrir: la_puerta, la_ventana, el_libro, la_tienda_a_las_nueve
recibir: un_regalo, muchas_cartas, un_premio
subir: las_escaleras, al_autobús, al_tercer_piso
compartir: un_piso, la_comida, la_habitación
decidir: quedarse, todo, el_precio
discutir: con_su_hermano, mucho, de_política
cubrir: la_mesa, el_coche
pensar ie: en_ti, mucho, en_el_futuro, en_su_familia
empezar ie: a_las_ocho, un_curso, a_llorar, el_trabajo
cerrar ie: la_puerta, la_ventana, la_tienda, los_ojos
comenzar ie: a_las_nueve, la_clase, a_trabajar
despertar ie: a_los_niños, a_su_hermano
perder ie: las_llaves, el_tren, el_partido, la_paciencia
entender ie: la_pregunta, todo, el_problema, inglés
querer: un_café, @object, @food, un_coche_nuevo, ir_al_cine, más_tiempo, a_sus_hijos
preferir ie_i: el_té, la_playa, el_vino_tinto, leer
mentir ie_i: mucho, a_su_jefe
sentir ie_i: frío, mucho_dolor, miedo
contar ue: una_historia, chistes, el_dinero, la_verdad
encontrar ue: las_llaves, trabajo, un_piso, a_su_perro
recordar ue: mi_nombre, la_fiesta, todo
mostrar ue: las_fotos, el_camino, la_casa
costar ue:
almorzar ue: en_casa, a_la_una, con_amigos
volver ue: a_casa, tarde, de_vacaciones, a_las_seis, del_trabajo
mover ue: la_mesa, los_muebles
poder: nadar, venir, dormir, ayudar
dormir ue_u: mucho, ocho_horas, en_el_sofá, muy_bien, la_siesta
pedir i: un_café, la_cuenta, ayuda, una_pizza, perdón
servir i: la_cena, el_café, la_comida
repetir i: la_frase, la_pregunta, todo
seguir i: las_reglas, el_camino, recto
jugar: al_fútbol, al_tenis, en_el_parque, con_los_niños, a_las_cartas, al_ajedrez
tener: un_perro, dos_hermanos, hambre, sueño, mucho_trabajo, un_coche, el_pelo_largo, una_idea, @object, razón, frío, una_casa_grande
hacer: la_cena, los_deberes, deporte, la_cama, ejercicio, un_pastel, mucho_ruido
ir: @to, @to, @to, de_compras, a_nadar, en_autobús
venir: a_casa, de_la_playa, en_tren, a_mi_fiesta, del_trabajo, a_clase
decir: la_verdad, mentiras, hola, muchas_cosas, que_sí
poner: la_mesa, la_televisión, los_libros_en_la_caja, la_radio
salir: de_casa, con_amigos, temprano, de_la_oficina, a_la_calle
traer: un_regalo, el_pan, vino, buenas_noticias, los_libros
ver: una_película, la_televisión, el_mar, las_noticias, muchas_series
dar: un_paseo, las_gracias, clases_de_inglés, comida_al_gato
saber: la_verdad, nadar, mi_nombre, mucho, la_respuesta
conocer: la_ciudad, a_mi_hermana, un_buen_restaurante, a_mucha_gente
conducir: un_autobús, muy_rápido, un_coche_rojo, al_trabajo
traducir: el_texto, libros, cartas
oír: un_ruido, música, la_radio, las_noticias
caer:
estar: en_casa, aquí, en_Madrid
ser: de_España, muy_simpático
haber:
"""
NOT_ACTIONS = ("costar", "caer", "haber", "ser", "estar", "poder", "decidir")
PARTICIPLES = "escribir escrito,abrir abierto,romper roto,volver vuelto,cubrir cubierto,hacer hecho,decir dicho,poner puesto,ver visto"
WRONG_FIRST_PERSONS = """saber:sabo tener:teno tener:tieno venir:veno venir:vieno hacer:haco hacer:hazo poner:pono salir:salo traer:trao
traer:traio conducir:conduco
conducir:conduzo conocer:conoco conocer:conozo conocer:conosco oír:oio decir:deco decir:dico decir:dizo ir:iro traducir:traduco"""
THINGS_DO = """empezar_a_las_nueve empezar_mañana costar_diez_euros costar_mucho cerrar_a_las_ocho abrir_los_lunes llegar_tarde terminar_a_las_cinco
salir_a_las_diez tener_dos_partes necesitar_agua caer_del_árbol estar_aquí venir_de_Italia comenzar_hoy subir_mucho costar_cinco_euros"""
WISHES = """quiero_que quieres_que quiere_que queremos_que mi_madre_quiere_que espero_que esperamos_que ojalá ojalá_que es_importante_que es_necesario_que
no_creo_que es_posible_que me_alegra_que prefiero_que es_mejor_que dudo_que te_lo_digo_para_que trabajo_para_que necesito_que mis_padres_quieren_que
no_quiero_que es_bueno_que Ana_quiere_que no_pienso_que te_pido_que me_gusta_que Luis_espera_que lo_hago_para_que quiero_que quiero_que"""
LATER = "te_llamaré iremos_al_cine compraré_una_casa comeremos hablaremos lo_sabrás saldremos seré_feliz"

# reflexive verbs, by infinitive without "se"
REFLEXIVES = """levantar: temprano, a_las_siete, tarde, del_sofá
acostar ue: a_las_once, temprano, muy_tarde
duchar: por_la_mañana, con_agua_fría, todos_los_días
llamar: Ana, Carlos, Marta, Luis
despertar ie: a_las_seis, temprano, muy_cansado
vestir i: de_negro, muy_bien, rápido
lavar: las_manos, los_dientes, el_pelo, la_cara
sentar ie: en_el_sofá, aquí, en_la_silla, a_la_mesa
quedar: en_casa, aquí, en_la_cama
cepillar: los_dientes, el_pelo
divertir ie_i: mucho, en_la_fiesta, con_sus_amigos
aburrir: en_clase, mucho, en_casa
bañar: en_el_mar, por_la_noche
preocupar: mucho, por_todo, por_su_hijo
enfadar: conmigo, mucho, por_nada
peinar: por_la_mañana, en_el_baño
afeitar: todos_los_días, por_la_mañana
casar: en_mayo, con_Ana, en_junio
marchar: a_casa, mañana, pronto
sentir ie_i: bien, mal, cansado, muy_solo
olvidar: de_todo, de_mi_nombre
mirar: en_el_espejo"""

HABITS = """todos_los_días cada_día por_la_mañana por_la_noche los_domingos los_lunes a_veces siempre en_verano después_del_trabajo cada_semana los_sábados
todas_las_tardes con_amigos en_invierno por_la_tarde todos_los_años"""
PAST_TIMES = """ayer anoche anteayer la_semana_pasada el_año_pasado el_mes_pasado el_lunes_pasado hace_dos_días hace_una_semana el_verano_pasado
ayer_por_la_mañana el_sábado_pasado hace_tres_años en_2010 el_domingo_pasado en_1999 hace_un_mes ayer_por_la_tarde"""
NOW = "ahora en_este_momento ahora_mismo hoy"
FUTURE = "mañana el_lunes pronto la_semana_que_viene esta_tarde el_próximo_año hoy luego esta_noche el_sábado"
