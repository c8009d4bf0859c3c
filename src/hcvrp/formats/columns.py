"""What the columns of a spreadsheet mean: their names in English, German, French and Spanish."""

from __future__ import annotations

from collections.abc import Set
from difflib import get_close_matches
from typing import TypeAlias

from hcvrp.formats import units

Names: TypeAlias = dict[str, tuple[str, ...]]
"""By meaning, the words for it, the likeliest first."""

KINDS = (
    *("vehicle type", "type of vehicle", "type", "kind"),
    *("fahrzeugtyp", "fahrzeugart", "typ", "art"),
    *("type de vehicule", "tipo de vehiculo", "tipo"),
)
"""Words for a kind of vehicle: a name where there is no better one, and no two are of a kind."""

_SHARED = (
    *("location", "standort", "ort", "lieu", "lugar", "address", "adresse", "direccion"),
    *("id", "nr", "no"),
)
"""Words for names that several may have: towns, addresses, numbers of a list."""

CUSTOMER: Names = {
    "type": ("kind", "typ", "art", "tipo"),
    "name": (
        *("customer", "customer name", "stop", "stop name", "client", "recipient"),
        *("kunde", "kundenname", "stopp", "empfaenger", "nom", "nom du client", "arret"),
        *("destinataire", "nombre", "cliente", "parada", "destinatario"),
        *("company", "company name", "business", "business name", "firma", "firmenname"),
        *("betrieb", "societe", "entreprise", "raison sociale", "enseigne", "empresa"),
        *("razon social", "ragione sociale", "azienda", "bezeichnung"),
        *_SHARED,
    ),
    "x": ("x coordinate", "x coord", "coord x", "x koordinate", "easting", "rechtswert"),
    "y": ("y coordinate", "y coord", "coord y", "y koordinate", "northing", "hochwert"),
    "lat": ("latitude", "breitengrad", "breite", "geo breite", "latitud"),
    "lon": ("lng", "long", "longitude", "laengengrad", "laenge", "geo laenge", "longitud"),
    "demand": (
        *("quantity", "qty", "weight", "amount", "load", "volume", "units", "parcels", "pallets"),
        *("menge", "bedarf", "gewicht", "anzahl", "nachfrage", "stueck", "stueckzahl", "pakete"),
        *("paletten", "volumen", "demande", "quantite", "poids", "colis", "palettes"),
        *("demanda", "cantidad", "peso", "bultos", "palets", "kg"),
    ),
}
FLEET: Names = {
    "name": (
        *("vehicle", "van", "truck", "plate", "number plate", "licence plate", "license plate"),
        *("fahrzeug", "kennzeichen", "lkw", "vehicule", "camion", "immatriculation", "nom"),
        *("vehiculo", "camioneta", "matricula", "driver", "fahrer", "chauffeur", "conductor", "id"),
        *KINDS,
    ),
    "capacity": (
        *("payload", "max load", "maximum load", "max weight", "maximum weight", "weight limit"),
        *("load limit", "load capacity", "max capacity", "maximum capacity", "max payload"),
        *("kapazitaet", "ladekapazitaet", "nutzlast", "zuladung", "max zuladung", "max nutzlast"),
        *("capacite", "charge utile", "charge max", "charge maximale", "poids max"),
        *("capacidad", "capacidad de carga", "carga util", "carga maxima", "peso maximo"),
        *("max gewicht", "maximales gewicht", "portata", "portata max"),
    ),
    "speed": (
        *("average speed", "geschwindigkeit", "tempo", "vitesse", "vitesse moyenne"),
        *("velocidad", "velocidad media", "velocita", "velocita media"),
        *("km h", "kmh", "kph", "mph", "m s", "knots"),
    ),
    "count": (
        *("number", "quantity", "qty", "units", "available", "how many", "number available"),
        *("quantity available", "available vehicles", "number of vehicles", "no of vehicles"),
        *("vehicle count", "number of units", "no of units", "number of vans", "number of trucks"),
        *("anzahl", "anzahl fahrzeuge", "anzahl der fahrzeuge", "fahrzeuganzahl", "fahrzeugzahl"),
        *("stueck", "stk", "stueckzahl", "bestand", "verfuegbar", "verfuegbare fahrzeuge"),
        *("quantite", "nb", "nb de vehicules", "nombre de vehicules", "disponible", "disponibles"),
        *("cantidad", "numero de vehiculos", "cantidad de vehiculos", "unidades"),
    ),
}
"""Without "nombre", a number in French and a name in Spanish: nobody shall have to guess."""

PLAN = ("vehicle", "trip", "order", "customer")
"""The columns that a plan needs."""

TOTALS = frozenset(
    (
        *("total", "totals", "grand total", "subtotal", "sum", "average", "mean"),
        *("summe", "summen", "gesamt", "gesamtsumme", "insgesamt", "zwischensumme", "mittelwert"),
        *("durchschnitt", "somme", "total general", "sous total", "moyenne"),
        *("suma", "totales", "promedio", "totale", "somma", "media", "totaal"),
    )
)
"""Words for a row that is made of the others."""

DEPOTS = ("depot", "deposito", "warehouse", "lager", "entrepot", "almacen")
"""Words for the depot, in the column of types or of names."""


def normal(word: str) -> str:
    """The word in small plain letters, without a unit: "Kapazität (kg)" is kapazitaet."""
    return units.without(word)


def of_customers(words: Set[str]) -> bool:
    """Whether among the words of a header are those of places and of demands."""
    found = {m for m, others in CUSTOMER.items() if not words.isdisjoint((m, *others))}
    return "demand" in found and ({"x", "y"} <= found or {"lat", "lon"} <= found)


def may_be_shared(word: str) -> bool:
    """Whether a column of that name tells a town, an address or a number instead of who it is."""
    return normal(word) in _SHARED


def resembles(word: str, names: Names) -> str | None:
    """The meaning whose name or words are spelt almost like `word`."""
    spelt = {w: meaning for meaning, words in names.items() for w in (*words, meaning)}
    close = get_close_matches(normal(word), spelt, n=1, cutoff=0.75)
    return spelt[close[0]] if close else None
