"""The words of the Spanish grammar: what can be said of whom, in tables."""

from typing import NamedTuple

# Subjects by person: 0 yo, 1 tú, 2 él, 3 nosotros, 4 vosotros, 5 ellos.
SUBJECTS = {
    "yo": 0, "tú": 1, "nosotros": 3, "nosotras": 3, "vosotros": 4, "él": 2, "ella": 2, "usted": 2, "Ana": 2,
    "Luis": 2, "Marta": 2, "Pablo": 2, "mi hermana": 2, "mi hermano": 2, "mi padre": 2, "mi madre": 2,
    "la profesora": 2, "el médico": 2, "el vecino": 2, "mi abuela": 2, "tu primo": 2, "ellos": 5, "ellas": 5,
    "ustedes": 5, "mis padres": 5, "los niños": 5, "tus amigos": 5, "los alumnos": 5, "las vecinas": 5,
    "Ana y Luis": 5, "mis primas": 5, "los abuelos": 5,
}
DROPPED = {0: "", 3: ""}  # persons whose pronoun is usually left out

HABIT_TAILS = ("", "todos los días", "cada semana", "los lunes", "los domingos", "a menudo", "a veces")
PAST_TIMES = ("ayer", "anoche", "anteayer", "la semana pasada", "el lunes pasado", "el mes pasado",
              "el año pasado")
PERFECT_TAILS = ("", "hoy", "esta semana", "dos veces", "muchas veces")


class Verb(NamedTuple):
    """An infinitive, its present and preterite in six persons, and what can follow it."""

    infinitive: str
    present: tuple[str, ...]
    preterite: tuple[str, ...]
    complements: tuple[str, ...]


PRESENT_ENDINGS = {"ar": "o as a amos áis an", "er": "o es e emos éis en", "ir": "o es e imos ís en"}
PRETERITE_ENDINGS = {"ar": "é aste ó amos asteis aron", "er": "í iste ió imos isteis ieron",
                     "ir": "í iste ió imos isteis ieron"}


def forms(infinitive: str, endings: dict[str, str]) -> tuple[str, ...]:
    """The six persons of a verb that follows the rule."""
    return tuple(infinitive[:-2] + ending for ending in endings[infinitive[-2:]].split())


def _regular(*rows: tuple[str, str]) -> tuple[Verb, ...]:
    return tuple(
        Verb(infinitive, forms(infinitive, PRESENT_ENDINGS), forms(infinitive, PRETERITE_ENDINGS),
             tuple(complements.split(", ")))
        for infinitive, complements in rows
    )


def _irregular(*rows: tuple[str, str, str, str]) -> tuple[Verb, ...]:
    return tuple(Verb(infinitive, tuple(present.split()), tuple(preterite.split()),
                      tuple(complements.split(", ")))
                 for infinitive, present, preterite, complements in rows)


# Only verbs whose spelling never changes (no buscar, llegar, leer): those would need a rule of their own.
REGULAR = _regular(
    ("hablar", "con los vecinos, por teléfono, con el director"),
    ("estudiar", "historia, en la biblioteca, inglés"),
    ("trabajar", "en un hospital, en el jardín"), ("cantar", "en el coro, una canción"),
    ("bailar", "salsa, en la plaza"), ("comprar", "pan, fruta en el mercado, el periódico"),
    ("cocinar", "arroz, verduras"), ("limpiar", "la cocina, las ventanas"), ("lavar", "los platos, el coche"),
    ("escuchar", "música, la radio"), ("caminar", "por el parque, por la playa"),
    ("nadar", "en el mar, en la piscina"),
    ("tomar", "café con leche, el autobús"), ("visitar", "un museo, un castillo"),
    ("preparar", "la cena, el desayuno"),
    ("pintar", "un cuadro, la puerta"), ("dibujar", "un caballo, un mapa"), ("viajar", "en tren, a Sevilla"),
    ("ayudar", "a los vecinos, en la cocina"), ("llevar", "una chaqueta azul, un sombrero"),
    ("esperar", "el autobús, el tren"), ("arreglar", "la bicicleta, relojes viejos"),
    ("mirar", "las estrellas, el mar"),
    ("usar", "el ordenador, un diccionario"), ("enseñar", "matemáticas, francés"),
    ("comer", "pescado, fruta, paella, pan con queso"), ("beber", "agua, zumo de naranja, té verde"),
    ("correr", "por la playa, en el parque"), ("vender", "flores, libros usados"),
    ("aprender", "inglés, una canción"), ("coser", "un vestido, los botones"),
    ("barrer", "la cocina, el patio"),
    ("escribir", "una carta, un poema, un correo"), ("abrir", "la ventana, la tienda"),
    ("subir", "al autobús, las escaleras"), ("recibir", "una carta, muchos mensajes"),
    ("compartir", "el postre, la comida"), ("discutir", "con el jefe, por tonterías"),
    ("asistir", "a clase, a un curso"),
)
STATES = _regular(
    ("vivir", "en Madrid, cerca del mar, en un pueblo"),
    ("necesitar", "más tiempo, un coche nuevo, ayuda, un taxi"),
    ("comprender", "la pregunta, el problema, la lección, las reglas"),
    ("odiar", "el ruido, los lunes, las mentiras, el invierno"),
)
IRREGULAR = _irregular(
    ("ir", "voy vas va vamos vais van", "fui fuiste fue fuimos fuisteis fueron",
     "al cine, a la playa, al mercado"),
    ("hacer", "hago haces hace hacemos hacéis hacen", "hice hiciste hizo hicimos hicisteis hicieron",
     "la compra, los deberes, una tarta"),
    ("ver", "veo ves ve vemos veis ven", "vi viste vio vimos visteis vieron", "una película, las noticias"),
    ("decir", "digo dices dice decimos decís dicen", "dije dijiste dijo dijimos dijisteis dijeron",
     "la verdad, una mentira"),
    ("traer", "traigo traes trae traemos traéis traen", "traje trajiste trajo trajimos trajisteis trajeron",
     "flores, el pan"),
    ("poner", "pongo pones pone ponemos ponéis ponen", "puse pusiste puso pusimos pusisteis pusieron",
     "la mesa, la radio"),
    ("tener", "tengo tienes tiene tenemos tenéis tienen", "tuve tuviste tuvo tuvimos tuvisteis tuvieron",
     "un examen, una reunión, clase de piano"),
    ("dar", "doy das da damos dais dan", "di diste dio dimos disteis dieron", "un paseo, una clase"),
    ("venir", "vengo vienes viene venimos venís vienen", "vine viniste vino vinimos vinisteis vinieron",
     "en tren, a la oficina"),
    ("andar", "ando andas anda andamos andáis andan",
     "anduve anduviste anduvo anduvimos anduvisteis anduvieron",
     "por el parque, por el campo"),
    ("conducir", "conduzco conduces conduce conducimos conducís conducen",
     "conduje condujiste condujo condujimos condujisteis condujeron", "el coche, un camión"),
)
# What learners make of the irregular preterites: infinitive, person, the mistake.
PRETERITE_MISTAKES = (
    ("hacer", "0 hací, 2 hació, 5 hacieron, 3 hacimos"), ("tener", "0 tení, 2 tenió, 5 tenieron"),
    ("poner", "0 poní, 2 ponió, 5 ponieron"), ("traer", "0 traí, 2 trayó, 5 trajieron"),
    ("decir", "0 decí, 2 deció, 5 dijieron"), ("andar", "0 andé, 1 andaste, 2 andó, 5 andaron"),
    ("conducir", "0 conducí, 2 condució, 5 condujieron"), ("venir", "0 vení, 2 venió, 5 venieron"),
    ("dar", "1 daste, 5 daron"),
)

# First persons that learners make regular: infinitive, mistakes, right form, complements
FIRST_PERSONS = (
    ("hacer", "hazo haco", "hago", "los deberes, la compra, una tarta"),
    ("poner", "pono", "pongo", "la mesa, la radio"),
    ("saber", "sabo", "sé", "la respuesta, la verdad, cocinar"),
    ("salir", "salo", "salgo", "con mis amigos, a pasear"),
    ("tener", "teno tieno", "tengo", "dos hermanos, un gato, clase de piano"),
    ("traer", "trao", "traigo", "el pan, flores"), ("venir", "veno vieno", "vengo", "en tren, a la oficina"),
    ("decir", "deco dico", "digo", "la verdad, una mentira"),
    ("conocer", "conoco conozo", "conozco", "a tu primo, la ciudad"),
    ("conducir", "conduco conduzo", "conduzco", "un camión, el coche"),
    ("oír", "oio", "oigo", "la radio, los pájaros"),
    ("dar", "do", "doy", "un paseo, clases de inglés"),
    ("traducir", "traduco", "traduzco", "una novela, poemas"),
    ("caber", "cabo", "quepo", "en este coche, por la puerta"),
)
# infinitive, what changes, (person, mistake, right form), complements
STEM_CHANGES = (
    ("dormir", "la o cambia a ue", "0 dormo duermo, 1 dormes duermes, 2 dorme duerme, 5 dormen duermen",
     "en el sofá, ocho horas"),
    ("volver", "la o cambia a ue", "0 volvo vuelvo, 1 volves vuelves, 2 volve vuelve, 5 volven vuelven",
     "tarde a casa, en tren"),
    ("poder", "la o cambia a ue", "0 podo puedo, 2 pode puede, 5 poden pueden",
     "salir tarde, nadar en el mar"),
    ("contar", "la o cambia a ue", "0 conto cuento, 1 contas cuentas, 2 conta cuenta, 5 contan cuentan",
     "un chiste, una historia"),
    ("encontrar", "la o cambia a ue", "0 encontro encuentro, 2 encontra encuentra, 5 encontran encuentran",
     "monedas en la calle, setas en el bosque"),
    ("almorzar", "la o cambia a ue", "0 almorzo almuerzo, 2 almorza almuerza, 5 almorzan almuerzan",
     "en casa, en un bar"),
    ("jugar", "la u cambia a ue", "0 jugo juego, 1 jugas juegas, 2 juga juega, 5 jugan juegan",
     "al fútbol, al ajedrez, a las cartas"),
    ("pensar", "la e cambia a ie", "0 penso pienso, 1 pensas piensas, 2 pensa piensa, 5 pensan piensan",
     "en las vacaciones, en el futuro"),
    ("cerrar", "la e cambia a ie", "0 cerro cierro, 1 cerras cierras, 2 cerra cierra, 5 cerran cierran",
     "la puerta, la ventana, la tienda"),
    ("empezar", "la e cambia a ie", "0 empezo empiezo, 2 empeza empieza, 5 empezan empiezan",
     "a trabajar temprano, un libro"),
    ("querer", "la e cambia a ie", "0 quero quiero, 2 quere quiere, 5 queren quieren",
     "un helado, salir a pasear"),
    ("perder", "la e cambia a ie", "0 perdo pierdo, 2 perde pierde, 5 perden pierden",
     "las llaves, el autobús"),
    ("entender", "la e cambia a ie", "0 entendo entiendo, 2 entende entiende, 5 entenden entienden",
     "la pregunta, el problema"),
    ("preferir", "la e cambia a ie", "0 prefero prefiero, 2 prefere prefiere, 5 preferen prefieren",
     "el té, viajar en tren"),
    ("pedir", "la e cambia a i", "2 pede pide, 5 peden piden", "la cuenta, un café, ayuda"),
    ("servir", "la e cambia a i", "0 servo sirvo, 2 serve sirve, 5 serven sirven", "la cena, el vino"),
    ("repetir", "la e cambia a i", "0 repeto repito, 2 repete repite, 5 repeten repiten",
     "la pregunta, el postre"),
)
# infinitive, the mistaken participle, the right one, complements
PARTICIPLES = (
    ("escribir", "escribido", "escrito", "una carta, un poema, un correo"),
    ("abrir", "abrido", "abierto", "la ventana, la puerta"),
    ("romper", "rompido", "roto", "un vaso, un plato, la ventana"),
    ("hacer", "hacido", "hecho", "los deberes, la cena"),
    ("ver", "veído", "visto", "una película, las noticias"),
    ("poner", "ponido", "puesto", "la mesa, la radio"),
    ("volver", "volvido", "vuelto", "a casa, al pueblo"),
    ("decir", "decido", "dicho", "la verdad, una mentira"),
    ("cubrir", "cubrido", "cubierto", "la mesa, el sofá"),
    ("descubrir", "descubrido", "descubierto", "el secreto, un error"),
    ("resolver", "resolvido", "resuelto", "el problema, la duda"),
    ("devolver", "devolvido", "devuelto", "el libro, las llaves"),
)
HABER = ("he", "has", "ha", "hemos", "habéis", "han")

# Nouns: singular, plural, gender. Each group shares its adjectives.
CLOTHES = (
    "camisa camisas f", "falda faldas f", "chaqueta chaquetas f", "blusa blusas f", "gorra gorras f",
    "corbata corbatas f", "vestido vestidos m", "abrigo abrigos m", "sombrero sombreros m",
    "zapato zapatos m", "bolso bolsos m", "pantalón pantalones m", "calcetín calcetines m",
)
OBJECTS = (
    "mesa mesas f", "silla sillas f", "lámpara lámparas f", "caja cajas f", "mochila mochilas f",
    "bicicleta bicicletas f", "moto motos f", "maleta maletas f", "llave llaves f", "botella botellas f",
    "taza tazas f", "coche coches m", "barco barcos m", "sofá sofás m", "reloj relojes m",
    "cuaderno cuadernos m", "lápiz lápices m", "vaso vasos m", "plato platos m", "mapa mapas m",
    "balón balones m", "sillón sillones m",
)
PLACES = (
    "casa casas f", "calle calles f", "plaza plazas f", "ciudad ciudades f", "biblioteca bibliotecas f",
    "habitación habitaciones f", "iglesia iglesias f", "torre torres f", "museo museos m", "hotel hoteles m",
    "puente puentes m", "jardín jardines m", "barrio barrios m", "pueblo pueblos m", "piso pisos m",
    "parque parques m",
)
IDEAS = (
    "pregunta preguntas f", "respuesta respuestas f", "canción canciones f", "película películas f",
    "novela novelas f", "clase clases f", "lección lecciones f", "historia historias f", "libro libros m",
    "problema problemas m", "tema temas m", "poema poemas m", "idioma idiomas m", "programa programas m",
    "cuento cuentos m", "examen exámenes m",
)
# the stem before -o, -a, -os, -as; the first list of each group is what "ser" takes
ADJECTIVES = {
    CLOTHES: ("roj blanc negr amarill nuev viej bonit barat",
              "azul azules, verde verdes, gris grises, elegante elegantes"),
    OBJECTS: ("roj blanc negr nuev viej bonit pequeñ", "grande grandes, azul azules, verde verdes"),
    PLACES: ("antigu bonit pequeñ nuev modern fe", "grande grandes, enorme enormes, elegante elegantes"),
    IDEAS: ("nuev complicad divertid buen mal aburrid",
            "fácil fáciles, difícil difíciles, interesante interesantes, útil útiles"),
}
PEOPLE_ADJECTIVES = "alt simpátic rubi list seri delgad generos tímid tranquil"
WOMEN = ("Ana", "Marta", "Lucía", "mi hermana", "mi madre", "la profesora", "mi tía", "mi abuela", "mi prima",
         "la vecina")
MEN = ("Luis", "Pablo", "Pedro", "mi hermano", "mi padre", "el profesor", "mi tío", "mi abuelo", "mi primo",
       "el vecino")
NUMBERS = ("dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "diez")
OPENERS = ("", "creo que", "dicen que", "parece que", "es verdad que", "Elena dice que")

# "el" before a stressed a: singular nouns and what is said of them, after the article
STRESSED_A = (
    ("agua", "está fría, está limpia, sabe bien, de la fuente es buena, del río está sucia"),
    ("águila", "vuela muy alto, es muy rápida, caza ratones, tiene hambre"),
    ("aula", "está vacía, es muy pequeña, está cerrada, tiene dos ventanas"),
    ("hacha", "está en el garaje, es muy pesada, está rota, corta bien"),
    ("arma", "es peligrosa, está escondida, es muy antigua, no funciona"),
    ("ala", "está rota, es blanca, es muy larga, del avión es larga"),
    ("área", "es muy extensa, está protegida, es pequeña, tiene dos lagos"),
    ("ama de casa", "está cansada, trabaja mucho, es generosa, canta bien"),
    ("alma", "es inmortal, es libre, está tranquila"),
    ("ancla", "está oxidada, pesa mucho, es de hierro, del barco está rota"),
    ("asa", "está rota, es pequeña, es de metal, de la taza está rota"),
)

# the word, why it has its accent, frames
ACCENTS = (
    ("árbol", "es llana y acaba en ele",
     "el {} es muy alto|hay un {} en el jardín|plantamos un {}|veo un {} desde aquí"),
    ("lápiz", "es llana y acaba en zeta", "el {} está en la mesa|necesito un {}|busco mi {}|este {} es rojo"),
    ("azúcar", "es llana y acaba en erre",
     "quiero más {}|el {} es blanco|tomo el té sin {}|compré {} y leche"),
    ("césped", "es llana y acaba en de", "el {} está mojado|corto el {}|hay flores en el {}"),
    ("móvil", "es llana y acaba en ele", "el {} es nuevo|perdí el {}|uso mucho el {}|mi {} no funciona"),
    ("fácil", "es llana y acaba en ele", "el examen es {}|la pregunta es {}|no es un trabajo {}"),
    ("difícil", "es llana y acaba en ele", "el examen es {}|la pregunta es {}|no es un trabajo {}"),
    ("útil", "es llana y acaba en ele", "el mapa es muy {}|este libro es {}|la lista es {}"),
    ("canción", "es aguda y acaba en ene", "la {} es bonita|canto una {}|escucho tu {}|es mi {} favorita"),
    ("camión", "es aguda y acaba en ene", "el {} es grande|veo un {} rojo|hay un {} en la calle"),
    ("avión", "es aguda y acaba en ene", "el {} sale a las diez|veo un {} en el cielo|viajamos en {}"),
    ("jardín", "es aguda y acaba en ene", "el {} es bonito|hay flores en el {}|trabajo en el {}"),
    ("balcón", "es aguda y acaba en ene", "hay plantas en el {}|el {} es pequeño|salgo al {}"),
    ("ratón", "es aguda y acaba en ene", "hay un {} en la cocina|el gato persigue al {}|el {} come queso"),
    ("jabón", "es aguda y acaba en ene", "compré {} y champú|el {} huele bien|no hay {} en el baño"),
    ("corazón", "es aguda y acaba en ene", "el {} late muy rápido|tiene buen {}|dibujé un {} rojo"),
    ("habitación", "es aguda y acaba en ene", "la {} es pequeña|limpio mi {}|busco una {} barata"),
    ("estación", "es aguda y acaba en ene", "la {} está cerca|espero en la {}|vamos a la {}"),
    ("café", "es aguda y acaba en vocal", "el {} está caliente|quiero un {} con leche|no bebo {}"),
    ("bebé", "es aguda y acaba en vocal", "el {} duerme mucho|el {} tiene hambre|cuido al {} de Marta"),
    ("sofá", "es aguda y acaba en vocal", "el {} es cómodo|duermo en el {}|compramos un {} nuevo"),
    ("aquí", "es aguda y acaba en vocal", "vivo {} con mis padres|el libro está {}|no hay nadie {}"),
    ("así", "es aguda y acaba en vocal", "todo sigue {}|se hace {}|la vida es {}"),
    ("también", "es aguda y acaba en ene", "mi hermano {} viene|yo {} quiero ir|Marta {} canta"),
    ("autobús", "es aguda y acaba en ese", "el {} llega tarde|espero el {}|voy en {} al trabajo"),
    ("francés", "es aguda y acaba en ese", "estudio {} en casa|mi vecino es {}|hablo {} con Luis"),
    ("después", "es aguda y acaba en ese", "vamos al cine {}|nos vemos {}|hablamos {} de cenar"),
    ("música", "es esdrújula", "la {} está alta|escucho {} clásica|me gusta esta {}"),
    ("médico", "es esdrújula", "el {} trabaja mucho|mi tío es {}|llamo al {}"),
    ("teléfono", "es esdrújula", "el {} no funciona|hablo por {}|perdí el {}"),
    ("pájaro", "es esdrújula", "el {} canta bien|veo un {} azul|hay un {} en la rama"),
    ("plátano", "es esdrújula", "como un {} cada día|el {} está maduro|quiero un {}"),
    ("lámpara", "es esdrújula", "la {} está rota|enciendo la {}|compré una {}"),
    ("página", "es esdrújula", "la {} está en blanco|leo una {} más|falta una {}"),
    ("número", "es esdrújula", "el {} está mal|no sé tu {}|escribe el {} aquí"),
    ("película", "es esdrújula", "la {} es larga|vemos una {}|me gusta la {}"),
    ("cámara", "es esdrújula", "la {} es cara|uso una {} vieja|perdí la {}"),
    ("sábado", "es esdrújula", "el {} vamos al cine|trabajo el {}|nos vemos el {}"),
    ("rápido", "es esdrújula", "el tren es muy {}|Luis corre muy {}|es un coche {}"),
    ("simpático", "es esdrújula", "mi vecino es {}|Pablo es muy {}|tu primo es {}"),
    ("país", "tiene un hiato", "es un {} muy grande|vivo en este {}|el {} es tranquilo"),
    ("río", "tiene un hiato", "el {} es ancho|nadamos en el {}|hay peces en el {}"),
    ("día", "tiene un hiato", "hace un buen {}|trabajo todo el {}|es el mejor {} del año"),
    ("frío", "tiene un hiato", "hoy hace {}|tengo mucho {}|el café está {}"),
    ("tía", "tiene un hiato", "mi {} vive en Madrid|visito a mi {}|tu {} es enfermera"),
    ("librería", "tiene un hiato", "la {} está cerrada|trabajo en una {}|vamos a la {}"),
    ("panadería", "tiene un hiato", "la {} está cerrada|trabajo en una {}|compro pan en la {}"),
    ("todavía", "tiene un hiato", "Ana {} duerme|{} es temprano|{} no he comido"),
    ("policía", "tiene un hiato", "el {} dirige el tráfico|mi primo es {}|llamo a la {}"),
)
UNACCENTED = str.maketrans("áéíóú", "aeiou")

MASCULINE_PLACES = ("parque", "cine", "mercado", "museo", "trabajo", "médico", "hotel", "gimnasio", "teatro",
                    "pueblo",
                    "banco", "hospital", "supermercado", "colegio")
MOTION_TO = ("voy vas va vamos vais van", "vuelvo vuelves vuelve volvemos volvéis vuelven",
             "llego llegas llega llegamos llegáis llegan")
MOTION_FROM = ("vengo vienes viene venimos venís vienen", "salgo sales sale salimos salís salen")
OWNED = ("la puerta del {} es azul:coche garaje jardín",
         "el nombre del {} es Luis:niño profesor médico director",
         "la dueña del {} es Ana:perro gato coche bar", "el color del {} es bonito:coche vestido sofá mar",
         "la casa del {} es grande:profesor director médico vecino",
         "el hijo del {} estudia mucho:director médico vecino")

# what may come first, what sounds i (or o) and comes second, frames
Y_TO_E = (
    ("francés español alemán ruso chino árabe", "inglés italiano",
     "hablo {}|estudias {}|Ana enseña {}|aprendemos {}|mi padre habla {}"),
    ("geografía ciencias arte música latín", "historia informática inglés",
     "estudio {}|hoy tenemos {}|Luis enseña {}"),
    ("Ana Marta Luis Pablo Pedro Lucía Jorge Sara", "Inés Isabel Irene Ignacio Iván",
     "{} viven aquí|vinieron {}|hablé con {}|trabajo con {}|vi a {} ayer"),
    ("verano primavera otoño", "invierno", "aquí llueve en {}|trabajo en {}|viajamos en {}"),
    ("padres abuelos tíos", "hijos", "{} viven juntos|vinieron {}|la fiesta es para {}"),
    ("castillos museos puentes plazas", "iglesias", "visitamos {}|hay {} en la ciudad|vimos {} antiguas"),
    ("sal aguja tela", "hilo", "necesito {}|compré {}|busco {}"),
)
O_TO_U = (
    ("siete seis", "ocho",
     "tengo {} libros|vinieron {} amigos|compré {} huevos|quedan {} días|faltan {} sillas"),
    ("diez", "once", "tengo {} libros|vinieron {} amigos|compré {} huevos|quedan {} días|faltan {} sillas"),
    ("Ana Marta Luis Pablo Pedro Lucía Jorge Sara", "Óscar Olga Octavio",
     "viene {}|lo sabe {}|pregunto a {}|hablaré con {}|lo hizo {}"),
    ("verano primavera invierno", "otoño", "viajamos en {}|será en {}|se casan en {}"),
    ("plata bronce cobre", "oro", "el anillo es de {}|la copa es de {}|la moneda es de {}"),
    ("minutos días semanas", "horas", "tarda {}|faltan {}|quedan {}"),
    ("pensión albergue apartamento", "hotel", "busco {}|dormimos en {}|necesitan {}"),
    ("perros gatos lobos", "osos ovejas", "son {}|dibuja {}|vimos {} en el campo"),
)
STAYS_Y = (  # hie- sounds like a consonant: no change
    ("agua nieve barro", "hielo", "hay {} en la calle|veo {}|hay {} en el campo|necesitan {}"),
    ("flores tierra", "hierba", "hay {} en el jardín|veo {}|huele a {}|hay {} en el campo"),
    ("madera piedra cobre", "hierro", "la puerta es de {}|necesito {}|compramos {}"),
)

HERE = "en casa, en la oficina, en el jardín, en la playa, en la cocina, en Barcelona, en el trabajo"
THINGS_HERE = (
    "el libro:en la mesa, en el salón, en mi mochila", "la llave:en la mesa, en el bolso, en la puerta",
    "el banco:en la plaza, cerca de aquí, en esta calle", "el museo:en el centro, en la plaza, cerca de aquí",
    "Madrid:en España, en el centro del país", "Lima:en Perú, en la costa",
    "la farmacia:en la plaza, lejos de aquí",
)
TEMPORARY = "enfadad preocupad content ocupad sentad dormid emocionad sol"  # + -o, -a, -os, -as
PROFESSIONS = "cociner ingenier abogad enfermer arquitect camarer"
ORIGINS = "de Sevilla, de Perú, de un pueblo pequeño, de aquí"
PLURAL_PEOPLE = ("mis padres", "mis tíos", "tus amigos", "mis primos", "los vecinos")

MUCHO_NOUNS = ("hambre a", "sed a", "prisa a", "suerte a", "paciencia a", "ropa a", "fuerza a", "sueño o",
               "frío o", "calor o", "dinero o", "tiempo o", "trabajo o", "miedo o", "amigos os", "libros os",
               "problemas os", "primos os", "ideas as", "cosas as",
               "preguntas as", "plantas as")
HAVING = ("tengo", "Ana tiene", "mi hermano tiene", "mis padres tienen", "tenemos", "los niños tienen",
          "Luis tiene", "tienes",
          "la profesora tiene", "hoy tengo", "Marta y Pablo tienen", "mi abuela tiene")
MUCHO_VERBS = "trabaja estudia come duerme viaja lee habla corre canta"
WITH_ADVERB = {"bien": "canta trabaja habla cocina baila", "mal": "canta duerme cocina baila",
               "tarde": "llega cena vuelve",
               "temprano": "llega cena vuelve", "despacio": "habla come camina", "lejos": "vive trabaja"}

# the impersonal verb: mistake, right form, time words
HABER_FORMS = (("habían", "había", "antes, hace años, allí"),
               ("hubieron", "hubo", "ayer, anoche, la semana pasada"),
               ("habrán", "habrá", "mañana, esta tarde, el lunes"))
HABER_THINGS = {  # for "había" and "habrá"
    "m": "coches en la calle, niños en el parque, libros en la mesa, perros en la plaza, platos en la cocina",
    "f": "personas aquí, flores en el jardín, sillas en el salón, tiendas en el barrio, motos en la plaza",
}
HABER_EVENTS = {
    "m": "problemas aquí, accidentes en la carretera, conciertos en el parque, exámenes en la escuela",
    "f": "fiestas en el barrio, tormentas en la costa, reuniones en la oficina, protestas en la plaza",
}
MANY = {"m": ("muchos", "pocos", "varios", "tres"), "f": ("muchas", "pocas", "varias", "cinco")}

PEOPLE_SEEN = ("mi hermana", "mi madre", "tu primo", "mis amigos", "mi abuelo", "los niños", "mi tía", "Ana",
               "Pablo", "mi jefe",
               "tus padres", "la vecina")
SEEING = ("veo ve ven", "busco busca buscan", "conozco conoce conocen", "espero espera esperan",
          "visito visita visitan",
          "ayudo ayuda ayudan", "saludo saluda saludan", "invito invita invitan", "escucho escucha escuchan")
THINGS_SEEN = (
    ("veo ve ven", "la película, las noticias, un cuadro, un barco, los árboles"),
    ("busco busca buscan", "las llaves, un hotel, mi móvil, una silla, los zapatos"),
    ("visito visita visitan", "un museo, la ciudad, una iglesia, los jardines"),
    ("escucho escucha escuchan", "la radio, una canción, música, las noticias"),
    ("compro compra compran", "un coche, la fruta, unas flores, pan"),
)
SEERS = (("", "yo"), ("Ana", "mi hermano", "la profesora", "Luis", "Marta"),
         ("mis padres", "los niños", "ellos", "mis primas"))

DATIVES = ("me", "te", "le", "nos", "os", "les", "a Ana le", "a mi hermano le", "a mis padres les",
           "a los niños les", "a Luis le")
# singular and plural verb, what is singular, what is plural
GUSTAR = (
    ("gusta gustan", "el café, el chocolate, la música, el fútbol, la playa, la paella, el queso",
     "los gatos, los perros, las fresas, los helados, las flores, los trenes, las fiestas"),
    ("encanta encantan", "el café, el chocolate, la música, el fútbol, la playa, el mar",
     "los gatos, los perros, las fresas, los helados, las flores, los trenes"),
    ("interesa interesan", "la historia, el arte, la política, el cine",
     "los idiomas, las ciencias, las noticias, los mapas"),
    ("duele duelen", "la cabeza, la espalda, la rodilla, el cuello",
     "los pies, las piernas, los ojos, los dientes"),
)
# what takes an infinitive, for yo, él, ellos
INFINITIVE_HEADS = ("quiero quiere quieren", "puedo puede pueden", "debo debe deben", "voy_a va_a van_a",
                    "tengo_que tiene_que tienen_que")
# "quiero trabajo", "quiere ayuda", "quiere limpia la casa": forms that are also other words are not mistakes.
OTHER_WORDS_TOO = frozenset({"trabajar", "limpiar", "ayudar", "nadar", "cantar", "comer", "dibujar",
                             "comprar"})

SUPERLATIVES = {
    CLOTHES: "carísim bonitísim baratísim", OBJECTS: "carísim bonitísim viejísim",
    PLACES: "antiquísim bonitísim grandísim",
    IDEAS: "buenísim malísim facilísim dificilísim",
}
PEOPLE_SUPERLATIVES = "altísim guapísim listísim rarísim delgadísim"
