"""Words that show that a question is in German, French, Spanish, Italian, Portuguese or Dutch, or is small talk in one of these.

Such a word is never corrected to an English one. A list is enough: no list holds what a question is about.
"""

from __future__ import annotations

from memcli.text.analysis import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Function words of English that are not words of the six languages.
ENGLISH = frozenset(
    """about after and are because been before between cannot could did does doesn don during each from how into isn it its our
    should than that the their them then there these they this those through until what when where which while who why with
    would you your""".split()
)
# Function words of the six languages that are not English. If they are a quarter of a question, its other words are of that
# language, too.
FILLING = (
    frozenset(
        """
    ab aber alle als auch auf aus bei beim bitte das dass dem den der des dieser dieses doch durch ein eine einem einen einer
    eines er für gegen gibt haben hatte ich ihr ihre im immer ins ist jetzt kann kein keine können machen mein meine muss müssen
    nach nicht noch nur oder ohne schon sich sie sind soll sollen sollte über und unser unsere unter vom von vor wann warum was
    wegen welche welchem welchen welcher welches wenn wer werden wie wieso wir wird wo wofür woher wohin womit wurde wurden zu zum
    zur zwischen es mit bis seit woran wodurch worin wieviel dir mir ihm mich dich uns euch habe hast seid bin bist zum ihnen
    aux avec ce ces cette dans depuis des donc du elle elles est et étaient était être ils je la le les leur lui mais mes
    notre nous où pas pourquoi quand que quel quelle quelles quels qui quoi sans sont sur tous toutes une vos votre vous ne ont à
    ça au était avons avez
    como cómo cuál cuales cuando cuándo cuánto del desde donde dónde el ella ellos en esta este esto está están las los
    más muy nuestra nuestro pero por porque qué quién se sobre su sus también tiene todos una uno ya fue hemos lo para
    che cosa dalla dei della delle di è gli il loro nella non ogni perché più quale quali quando questa
    questo sono tutti un abbiamo alla nel nello degli dagli chi siamo hanno
    ao da dos foi isso não nas nos os onde qual são seu sua tem uma você pelo pela com fica
    dat deze een er geen het hoe ik maar naar niet nog onze ook uit veel voor waar waarom wat we welke wij worden zijn
    met bij aan heb hebben onder deze
    """.split()
    )
    - STOP_WORDS
)
# The commonest others, which may be all that a short question has: greetings, days, months, numbers, verbs, small words.
_COMMON = frozenset(
    """
    hallo moin servus tschüss danke dank morgen heute gestern abend nacht woche monat jahr stunde montag dienstag mittwoch
    donnerstag freitag samstag sonntag januar februar märz juni juli oktober dezember eins zwei drei vier fünf sechs sieben acht
    neun zehn darf dürfen dürfte habe hast hatten wäre waren warst will willst wollen wollte möchte mach macht mache gemacht geht
    gehen kommt kommen steht stehen gibts lass lassen sagen sagt heißt brauche brauchen seit dann denn also etwas alles
    nichts viel viele mehr weniger wieder nochmal dort hier weil damit davon dazu darum mal eigentlich vielleicht immer nie
    neue neuen alte alten erste ersten letzte letzten andere anderen ganze gut guten gute schlecht richtig falsch nein genau
    bonjour salut bonsoir merci beaucoup lundi mardi mercredi jeudi vendredi samedi dimanche janvier février mars avril juin
    juillet août septembre octobre novembre décembre deux trois quatre cinq sept huit neuf aujourd hier demain peux peut pouvez
    veux veut voulez dois doit devons fait faire faut avoir avons avez aussi alors bien toujours jamais encore ici cela ceux
    comment combien moins plus rien tout toute chaque après avant entre pendant parce puis
    hola adiós gracias buenos buenas días tardes noches lunes martes miércoles jueves viernes sábado domingo enero febrero marzo
    abril mayo junio julio agosto septiembre octubre noviembre diciembre tres cuatro cinco seis siete ocho nueve diez hoy ayer
    mañana puede puedo puedes quiero quiere debe debemos hacer hace hecho tengo tener tenemos hay haber ahora siempre nunca
    aquí bien nada algo todo toda otro otra cada antes después entre hasta para mucho menos
    ciao salve grazie prego buongiorno buonasera lunedì martedì mercoledì giovedì venerdì sabato domenica gennaio febbraio aprile
    maggio giugno luglio settembre ottobre dicembre quattro cinque sette otto nove dieci oggi ieri domani posso puoi possiamo
    voglio vuole deve devo dobbiamo fare fatto avere adesso sempre ancora anche bene niente qualcosa tutto tutta altro altra prima
    dopo molto meno perche quanto quanti dove come
    olá obrigado obrigada segunda terça quarta quinta sexta janeiro fevereiro março maio junho julho setembro outubro novembro
    dezembro dois três quatro oito dez hoje ontem amanhã pode posso podemos quero quer deve devemos fazer feito tenho temos agora
    sempre nunca aqui bem tudo nada outro outra antes depois entre muito menos quem quanto
    hallo hoi dag doei bedankt alsjeblieft goedemorgen maandag dinsdag woensdag donderdag vrijdag zaterdag zondag januari februari
    maart mei augustus twee drie vier vijf zeven negen tien vandaag gisteren morgen mag moet moeten kunnen willen wilde heeft
    hebben gaan gaat doen gedaan maken gemaakt altijd nooit hier daar alles iets niets meer minder weer eerst laatste andere
    """.split()
)
COMMON = FILLING | _COMMON
# Words of politeness in the six, and words that say as much beside one of them only.
GREETINGS = frozenset(
    """
    hallo moin servus tschüss tschuess danke dankeschön bitte gerne guten prima super
    bonjour salut bonsoir merci bonne bonsoir
    hola adiós gracias buenos buenas vale
    ciao salve grazie prego buongiorno buonasera buona
    olá ola obrigado obrigada bom boa
    hoi doei bedankt alsjeblieft goedemorgen goedemiddag goedenavond dank
    """.split()
)
BESIDE_A_GREETING = frozenset(
    """
    morgen tag abend nacht zusammen geht gehts dir ihnen euch alles klar sehr schön schoen vielen viele gut mal
    comment ça va vas allez allez-vous tu bien beaucoup journée jour soirée tout monde aller
    qué tal estás está días dias tardes noches muchas todo bien por favor
    come va stai sta mille tante giorno sera notte tutto bene
    tudo bem dia tarde noite como vai muito vocês
    hoe gaat het je jou wel dag goed alles met
    """.split()
)


def is_foreign(terms: Sequence[str], text: str) -> bool:
    """Tells whether a question is in a language other than English. `text`: as typed; `terms`: its words that are looked up.

    A quarter of its words are function words of one, or half are that or among the commonest; and fewer are function words of
    English.
    """
    filling, common = FILLING.intersection(terms), COMMON.intersection(terms)
    is_filled = 4 * len(filling) >= len(terms) or 2 * len(common) >= len(terms)
    return len(filling) > len(ENGLISH.intersection(text.lower().split())) and is_filled


def telling(terms: Sequence[str]) -> list[str]:
    """Returns the words of a question in another language without its function words, if there are others."""
    return [term for term in terms if term not in FILLING] or [*terms]
