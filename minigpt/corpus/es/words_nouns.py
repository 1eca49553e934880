"""Spanish nouns, adjectives and places of the tutor's grammar. "f" and "m" tables by gender; "_" joins words."""

RELATIVES = {
    "f": """hermana madre hija tía prima abuela esposa amiga novia vecina jefa profesora suegra sobrina nieta compañera cuñada""",
    "m": """hermano padre hijo tío primo abuelo esposo amigo novio vecino jefe profesor suegro sobrino nieto compañero cuñado marido""",
}
PERSONS = {
    "f": """chica niña mujer señora profesora alumna doctora vecina amiga enfermera camarera abogada reina actriz cocinera directora
    muchacha bailarina pintora escritora médica secretaria princesa trabajadora maestra cantante estudiante dentista turista periodista""",
    "m": """chico niño hombre señor profesor alumno doctor vecino amigo enfermero camarero abogado rey actor cocinero director muchacho
    bailarín pintor escritor médico secretario príncipe trabajador maestro cantante estudiante dentista turista policía bombero bebé""",
}
JOBS = {
    "f": """profesora médica enfermera abogada ingeniera arquitecta cocinera camarera estudiante periodista dentista actriz cantante
    escritora pintora secretaria directora peluquera maestra doctora policía bombera veterinaria traductora científica pintora""",
    "m": """profesor médico enfermero abogado ingeniero arquitecto cocinero camarero estudiante periodista dentista actor cantante
    escritor pintor secretario director peluquero maestro doctor policía bombero veterinario traductor científico carpintero taxista
    panadero mecánico fontanero""",
}
ANIMALS = {
    "f": "vaca oveja gallina gata perra serpiente tortuga mariposa abeja rana ballena jirafa cebra hormiga araña mosca rata paloma cabra yegua",
    "m": "perro gato caballo pájaro ratón conejo pez pato elefante león tigre mono oso lobo zorro cerdo burro toro loro delfín tiburón camello cocodrilo",
}
OBJECTS = {
    "f": """mesa silla lámpara ventana puerta cama botella taza cuchara caja bolsa maleta mochila llave carta foto moto bicicleta pelota
    guitarra radio televisión cámara computadora pantalla tarjeta moneda revista novela pared manta toalla almohada alfombra escoba
    cesta nevera cocina vela luz hoja flor rosa planta piedra torre bandera casa habitación tienda herramienta rueda máquina tijera
    muñeca postal regla goma pizarra estantería copa jarra sartén mano tableta impresora lavadora batería pulsera cartera""",
    "m": """libro lápiz bolígrafo cuaderno teléfono móvil ordenador reloj coche autobús tren avión barco camión plato vaso tenedor cuchillo
    espejo sofá sillón armario escritorio cuadro mapa periódico diccionario paraguas bolso regalo juguete balón piano violín cajón
    jarrón cepillo peine jabón martillo anillo collar sobre sello billete papel árbol jardín techo suelo edificio puente cojín
    calendario cartel ventilador horno microondas banco tambor disco bastón globo sombrero candado tren carro taxi tractor cohete""",
}
CLOTHES = {
    "f": "camisa camiseta falda chaqueta blusa corbata bufanda bota gorra sandalia zapatilla media sudadera bata",
    "m": "vestido abrigo zapato pantalón jersey sombrero guante calcetín traje cinturón pijama bañador suéter gorro",
}
FOODS = {
    "f": """manzana naranja pera fresa uva cereza patata zanahoria cebolla tortilla ensalada galleta pizza hamburguesa sopa salchicha aceituna
    tarta empanada papa banana sandía piña ciruela lechuga""",
    "m": "plátano limón melocotón tomate huevo bocadillo pastel helado caramelo pimiento pepino melón bombón churro taco sándwich mango",
}
MASS = {
    "f": "leche carne fruta sal mantequilla agua cerveza miel sopa pasta verdura mermelada comida ensalada harina",
    "m": "pan queso arroz café té vino azúcar aceite pescado chocolate zumo pollo jamón yogur jugo",
}
IDEAS = {
    "f": """pregunta respuesta idea clase lección palabra frase lengua historia película canción fiesta reunión noticia tarea ciudad calle plaza
    playa montaña isla escuela iglesia biblioteca tienda oficina universidad farmacia panadería librería estación carretera fábrica vida
    semana noche tarde mañana excursión boda exposición obra regla""",
    "m": """problema tema examen ejercicio idioma cuento poema plan viaje trabajo proyecto juego deporte partido concierto programa día año mes
    pueblo país barrio parque río lago mar bosque camino hospital museo hotel banco mercado aeropuerto restaurante cine teatro
    supermercado bar colegio gimnasio sistema clima planeta sueño verano cumpleaños accidente""",
}
UNEXPECTED = {  # whose ending suggests the other gender
    "f": "mano foto moto radio noche leche clase llave calle flor sal carne tarde nube gente nave fuente frente imagen razón miel luz cruz pared red sed",
    "m": """problema mapa tema día idioma sistema planeta programa poema clima sofá tranvía pijama coche café pie puente viaje nombre lápiz árbol
    mes color dolor""",
}
STRESSED_A = "agua águila aula hacha arma ala área alma ancla asa"

# -o/-a first, then those with one form for both genders
PEOPLE_ADJECTIVES = """alto bajo guapo feo simpático antipático gordo delgado rubio moreno listo tonto serio gracioso tímido tranquilo generoso
tacaño rico bueno malo viejo pequeño rápido lento divertido aburrido educado famoso amable inteligente joven grande fuerte débil feliz
alegre valiente importante puntual responsable trabajador hablador español francés inglés alemán colombiano mexicano argentino italiano
sincero honesto perezoso nervioso curioso estudioso cariñoso loco"""
STATES = """cansado enfermo contento enfadado preocupado ocupado aburrido dormido sentado nervioso emocionado solo enamorado asustado casado
despierto listo perdido tranquilo sano muerto mojado triste feliz alegre furioso sorprendido confundido relajado resfriado embarazada vivo"""
THING_ADJECTIVES = """rojo blanco negro amarillo nuevo viejo bonito barato caro pequeño largo corto limpio antiguo moderno ancho alto bajo
redondo cuadrado pesado rápido lento bueno malo feo famoso peligroso seguro necesario perfecto delicioso sencillo complicado
divertido aburrido tranquilo verde azul gris grande enorme fácil difícil interesante importante útil elegante especial marrón
diferente increíble fuerte dulce estrecho lujoso precioso público"""
THING_STATES = """roto sucio limpio abierto cerrado lleno vacío frío mojado seco encendido apagado caliente libre ocupado listo perdido
terminado escrito hecho preparado"""

PLACES_IN = """en_casa en_la_oficina en_el_parque en_la_playa en_el_jardín en_la_cocina en_Madrid en_Barcelona en_el_trabajo en_la_escuela
en_el_hospital en_la_calle en_México en_Lima en_el_coche en_el_centro en_la_biblioteca en_el_cine en_la_universidad en_Bogotá aquí
en_el_aeropuerto en_la_plaza en_un_restaurante en_la_cama en_el_baño lejos cerca en_Francia fuera en_clase en_el_tren en_la_fiesta"""
PLACES_THING = """en_la_mesa en_el_suelo en_la_nevera en_mi_bolso en_el_cajón debajo_de_la_cama en_la_cocina en_el_coche en_la_mochila detrás_de_la_puerta
en_el_armario cerca_de_aquí en_el_salón en_la_pared al_lado_de_la_ventana en_casa en_la_calle allí en_el_jardín en_mi_habitación"""
PLACES_TO = """al_cine al_parque a_la_playa al_mercado a_la_escuela al_trabajo a_casa al_médico a_Madrid a_la_oficina al_supermercado al_gimnasio
a_clase a_la_universidad al_banco a_México a_la_fiesta al_teatro a_la_montaña a_la_biblioteca al_hospital a_la_piscina a_España al_museo
al_centro a_la_iglesia al_colegio a_la_tienda al_aeropuerto al_dentista a_un_concierto"""
ORIGINS = "de_España de_México de_Colombia de_Perú de_Madrid de_aquí de_un_pueblo de_Argentina de_Chile de_Italia de_Francia de_Sevilla de_Cuba"
LANGUAGES = "español inglés francés alemán italiano chino japonés ruso portugués árabe"
SCHOOL = "matemáticas historia física química geografía música medicina derecho biología arte literatura economía"
SPORTS = "fútbol tenis baloncesto ajedrez golf voleibol rugby"
INSTRUMENTS = "el_piano la_guitarra el_violín la_batería la_flauta"
NUMBERS = "dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta cien 2 3 4 5 10"
WITH_ACCENT = """también después así aquí allí café difícil fácil rápido música teléfono miércoles sábado página película jardín todavía mañana español
niño año baño pequeño señora señor cumpleaños quizás día días"""
