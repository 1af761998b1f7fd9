"""The commonest of the same words in German, French and Spanish, as patterns for `_cues` and `_heading_cues`."""

from __future__ import annotations

_GERMAN_SUBJECT = (  # what a German sentence begins with that tells, rather than asks for something
    r"(der|die|das|den|dem|ein\w*|ich|du|er|sie|es|wir|ihr|man|m?dein\w*|mein\w*|unser\w*|und|aber|dann|so|hier|da|"
    r"warum|wie|was|"
    r"wenn|weil|dass|noch|schon|auch|nur|war|ist|sind|hat|haben|wird|kann|nicht|jetzt)"
)
INSTRUCTION = (
    r"^(bitte )?(immer|nie|niemals|stets)\b(?! (noch|wieder|die|der|das|wenn|so|ge\w+t|ge\w+en)\b)|\b(ab (jetzt|sofort|"
    r"heute|nun)|in zukunft|künftig|bevor du)\b|^bitte (keine?n?|nur|"
    r"nie|niemals|immer|stets)\b|\b(nie|niemals|nichts?|keine?n?) [^,.;]{0,40}\bohne\b",
    rf"^(bitte )?(?!{_GERMAN_SUBJECT}\b)\w+(e|[^aeiou\W]) ([\w-]+ ){{0,3}}(immer|nie|niemals|stets)\b|\bauf keinen fall\b|"
    r"\b(du|wir|man|niemand|jede[rs]?|alle) (\w+ )?(darf|darfst|dürfen|sollst|sollen|soll|muss|musst|müssen) "
    r"[^.;]{0,40}\b(immer|nie|niemals|nicht|stets|vorher|zuerst)\b|\bfrag(e)? (mich )?(vorher|zuerst|immer|erst)\b|"
    r"\bgrundsätzlich (nur|nie|keine?n?|immer)\b",
    r"\bn(e |')\w+ jamais\b|^(s'il te plaît,? )?(toujours|jamais)\b(?! (le|la|les|pas|rien|vu|un|une)\b)|\b(désormais|"
    r"dorénavant|à partir de maintenant|à l'avenir)\b",
    r"^(s'il te plaît,? |merci de )?(n')?\w+(e|s|ez|er|ons) (moi |-moi )?toujours\b|\bil (faut|ne faut) (toujours|jamais)\b|"
    r"\b(demande|préviens)-moi avant\b|\bsans (me demander|mon accord)\b|\b(surtout|jamais) (pas )?de \w+ (sans|dans)\b",
    r"^(por favor,? )?(siempre|nunca)\b(?! (falla|es|está|pasa|da|sale|el|la|lo|vi|he|ha)\b)|\b(a partir de ahora|"
    r"de ahora en adelante|en el futuro)\b",
    r"^(por favor,? )?(no )?\w+(a|e|as|es) (me )?(siempre|nunca)\b|\bhay que \w+ siempre\b|\bsin (preguntarme|mi permiso)\b|"
    r"\bpregúntame antes\b",
    # What was wanted or forbidden and is no more.
    r"\bdarfst [^.;]{0,40}\b(jetzt|nun|wieder)\b|\b(jetzt|nun) darfst du\b|\b(brauchst|musst|sollst) (du )?[^.;]{0,60}"
    r"\bnicht mehr\b|^(bitte )?(nicht|keine?n?) [^,.;]{0,30}mehr\b",
    r"\btu peux (de|à) nouveau\b|\b(n'as |a )?plus besoin (de|d')|\btu n'as plus à\b",
    r"\bpuedes [^.;]{2,40} de nuevo\b|\bya no (hace falta|es necesario|tienes que|hay que)\b",
)
LIFTED = (
    r"\bdarfst\b|\bnicht mehr\b|\bkeine?n? [^,.;]{0,30}mehr\b|\bstattdessen\b|\b(vergiss|ignoriere) (das|die|den)\b",
    r"\btu peux\b|\bplus (besoin|à)\b|\bn(e |')\w+ plus\b|\bà la place\b|\boublie (le|la|les|ça)\b",
    r"\bpuedes\b|\bse puede\b|\bya no\b|\ben su lugar\b|\bolvida (el|la|los|lo)\b",
)
FORBIDS = (r"\b(nie|niemals|nicht|keine?n?|ohne|jamais|pas|sans|nunca|jamás|sin)\b",)
REMINDER = (r"\bmerk(e)? dir\b|\b(denk daran|souviens-toi|n'oublie pas|recuerda que|ten en cuenta)\b",)
PREFERENCE = (
    r"\b(ich (bevorzuge|mag (keine?n?|lieber)|(will|möchte) (keine?n?|lieber))|je préfère|j'aime mieux|prefiero)\b",
    r"^(verwende|nutze|benutze|nimm|schreib\w?|utilise[rz]?|usa|emplea) [^,.;]{2,40}\b(statt|anstatt|und nicht|nicht|"
    r"plutôt que|"
    r"au lieu de|en lugar de|en vez de|no)\b",
)
CHOICE = (
    r"\b((wir|dann) (nehmen|bleiben bei|verwenden|nutzen)|(habe|haben) (uns |mich )?(für|gegen) .* entschieden|"
    r"lass(t)? uns [^.?]{2,40} (nehmen|verwenden|nutzen|behalten)|nous (gardons|prenons|avons (décidé|choisi))|"
    r"on (garde|prend|reste sur)|(hemos|he) (decidido|elegido)|decidimos|nos quedamos con|vamos con)\b|^(ja,? |"
    r"ok,? )?nimm (?!es\b|das\b)\w+",
    r"^(nein|nee|non|no|ja|oui|sí|si|ok|okay|dann|alors|entonces)\b[,.;:! –-]+((doch|lieber|bitte|dann|plutôt|mejor) )*(nimm|"
    r"verwende|nutze|behalte|prends|utilise|garde|gardons|usa|toma|coge|mantén|quédate con|nehmen wir)"
    r"(?! (es|das|ça|cela|eso|lo)\b)(?!\w)",
    r"^((ok|ja|nein|non|no|oui|sí|nimm|prends|toma|usa|lieber|bitte)[,.! ]+)*(die |den |l'|la |el )?"
    r"((option|variante|opción|plan|weg) (\d|[a-d]\b)|(erste|zweite|dritte|letzte)n? (option|variante|lösung)|"
    r"(première|deuxième|seconde|dernière) (option|variante|solution)|"
    r"(primera|segunda|tercera|última) (opción|variante|solución))"
    r"(,? (bitte|s'il te plaît|por favor))?[,.! ]*($|weil|denn|da\b|car\b|parce|porque|ya que)",
)
DECIDED = (
    r"\b(habe|haben) (ich |wir )?(mich|uns) [^.;]{0,30}\b(für|gegen|dafür|dagegen)\b.{1,120}\bentschieden\b|"
    r"\bbewusst (nicht|so|ohne|als|auf)\b|"
    r"\b(statt|anstelle)\b.{1,120}\b(weil|damit|da)\b",
    r"\b(j'ai|nous avons) (choisi|opté|décidé|retenu|préféré)\b|\b(plutôt que|au lieu d)\b.{1,120}\b(car|parce qu|pour)",
    r"\b(he|hemos) (elegido|optado|decidido|preferido)\b|\b(opté por|elegí|decidí)(?!\w)|\b(en lugar de|"
    r"en vez de)\b.{1,120}\b(porque|para)\b",
)
REASON = (r"\b(weil|damit|sonst|um zu|parce qu|afin|sinon|porque|ya que|para que|si no)\b",)
OPEN_HEADING = (
    r"^(noch )?(offen|zu tun|zu erledigen|ausstehend)\b|^(die )?nächste[n]? schritte|^(es )?fehlt noch|^offene (punkte|"
    r"fragen|aufgaben)|"
    r"^(reste|restes?) à faire|^(les )?prochaines étapes|^à faire|^(points|questions) ouvert\w+|^(tareas )?pendientes?\b|"
    r"^(los )?próximos pasos|^por hacer|^queda por",
)
OPEN = (
    r"\bnoch (offen|nicht|zu tun|zu erledigen)\b|\b(muss|müssen|sollte|fehlt|fehlen|bleibt|steht|stehen) noch\b|"
    r"\b(bleibt|bleiben|ist|sind) (vorerst |weiterhin )?offen\b|"
    r"\breste(nt)? (à|encore)\b|"
    r"\bpas encore\b|\b(todavía|aún) no\b|\b(queda|quedan) (por|pendientes?)\b|\bfalta(n)? (por )?\w+r\b",
)
LIMIT = (
    r"\bhabe ich nicht (angefasst|geändert|angepasst|getestet|geprüft)\b|\bunverändert gelassen\b",
    r"\bje n'ai pas (touché|modifié|changé|testé|vérifié)\b|\bno he (tocado|cambiado|modificado|probado|comprobado)\b",
)
DROPPED_HEADING = (
    r"^(verworfen|was nicht (ging|geklappt|funktioniert)|ausprobiert|fehlversuche)|^(abandonné|ce qui n'a pas (marché|"
    r"fonctionné))|"
    r"^(descartado|lo que no funcionó)",
)
DROPPED = (
    r"\b(ausprobiert|versucht|probiert)\b.{0,160}\b(aber|jedoch|ging nicht|half nicht)\b|\b(zuerst|erst|"
    r"anfangs)\b.{1,160}\b(aber|jedoch)\b|"
    r"\b(verworfen|rückgängig gemacht|wieder (entfernt|ausgebaut))\b",
    r"\b(j'ai|nous avons) (d'abord )?(essayé|tenté|utilisé)\b.{1,160}\bmais\b|\bd'abord\b.{1,160}\bmais\b|\b(j'ai|"
    r"nous avons) (abandonné|annulé)\b",
    r"\b(probé|intenté|probamos|intentamos|he (probado|intentado)|primero)(?!\w).{1,160}\bpero\b|\b(descarté|"
    r"descartamos|he descartado|revertí|deshice)(?!\w)",
)
DECISION_HEADING = (
    r"^(entscheidung|begründung|décision|choix|decision(es)?\b|decisión)",
    r"^(warum|weshalb|pourquoi|por qué) (?!es\b|das\b|cela\b|ça\b|esto\b)[\w`.-]+( [\w`.-]+){0,3}$",
)
LESSON_HEADING = (
    r"^(ursache|erkenntnis|stolperstein|achtung|hinweise?$|gut zu wissen|la cause|cause racine|attention|à (noter|savoir)|"
    r"la causa|causa raíz|atención|ojo$)",
)
LESSON = (
    r"\b(die|der) (\w+ )?(ursache|grund) (war|ist)\b|\b(lag|liegt) (daran|an)\b|\bstellt(e)? sich heraus\b|^(achtung|"
    r"vorsicht|hinweis)\b|"
    r"\bfunktioniert nur (mit|wenn|ohne|auf)\b|\bschlägt fehl,? wenn\b|\b(sonst|andernfalls) [^.;]{2,60}\b(nicht|"
    r"fehl\w*|bricht|hängt|verliert|blockiert)\b",
    r"\bla cause (était|est)\b|\bil s'avère\b|^(attention|à noter|remarque)\b|\bne fonctionne (que|qu')|\béchoue (si|"
    r"quand|sans|avec)\b|"
    r"\bsinon\b[^.;]{2,60}\b(pas|échoue|plante|bloque|casse)\b",
    r"\bla causa (era|es|fue)\b|\bresult(a|ó) que\b|^(ojo|cuidado|atención)\b|\b(sólo|solo) funciona (con|si|en)\b|"
    r"\bfalla (si|cuando|sin|con)\b|"
    r"\bsi no\b[^.;]{2,60}\b(falla|rompe|bloquea|pierde)\b",
)
