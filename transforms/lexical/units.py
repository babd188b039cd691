"""Units of measurement and scales of numbers: their spellings and factors."""

from collections.abc import Iterator
from typing import NamedTuple

# By dimension; a factor to its smallest unit, and the spellings in lower case. The factor is equal
# for equal units only: a calendar month is 30 days, and a year 365.
_SPELLINGS = """
length
  .001 mm millimeter millimeters millimetre millimetres
  .01 cm centimeter centimeters centimetre centimetres
  1 m meter meters metre metres mètre mètres metro metros metri metern
  1000 km kilometer kilometers kilometre kilometres kilomètre kilomètres kilómetro kilómetros
    quilômetro quilômetros chilometro chilometri kilometern
  .0254 inch inches
  .3048 foot feet ft
  .9144 yard yards yd
  1609.344 mile miles mi
area
  1 sqm m²
  10000 hectare hectares ha
mass
  .001 mg milligram milligrams
  1 g gram grams gramm grammes gramos gramas grammi
  1000 kg kilogram kilograms kilo kilos kilogramm
  453.59237 lb lbs pound pounds
  28.349523125 oz ounce ounces
  1000000 ton tons tonne tonnes
volume
  1 ml milliliter milliliters millilitre millilitres
  10 cl
  1000 l liter liters litre litres litro litros litri
  3785.411784 gallon gallons gal
  946.352946 quart quarts
  473.176473 pint pints
  236.5882365 cup cups
  14.78676478 tablespoon tablespoons tbsp
  4.92892159 teaspoon teaspoons tsp
time
  .001 ms millisecond milliseconds
  1 second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondi
  60 minute minutes min mins minuten minuto minutos minuti 分
  3600 hour hours hr hrs h stunde stunden heure heures hora horas ora ore uur 小时 小時 時間 시간
  86400 day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen 天 日間 日
  604800 week weeks wk woche wochen semaine semaines semana semanas settimana settimane weken 週間
    周
  2592000 month months monat monate monaten mois mes meses mês mese mesi maand maanden か月 ヶ月
  31536000 year years yr yrs jahr jahre jahren an ans année années año años ano anos anno anni jaar
    年
  315360000 decade decades jahrzehnt jahrzehnte
  3153600000 century centuries jahrhundert jahrhunderte
temperature
  1 celsius °c
  1.0001 fahrenheit °f
  0 degree degrees ° grad degré degrés grados graus gradi
share
  1 % percent per-cent pct prozent pourcent procent percento
dollar
  1 $ dollar dollars usd us$ bucks
  .01 cent cents ¢
euro
  1 € euro euros eur
  .01 cent cents ct cts
sterling
  1 £ gbp quid
  .01 pence
yen
  1 ¥ \uffe5 円 yen jpy
yuan
  1 元 yuan cny rmb
franc
  1 chf franken
data
  1 kb kilobyte kilobytes kib
  1000 mb megabyte megabytes mib
  1000000 gb gigabyte gigabytes gib go
  1000000000 tb terabyte terabytes tib
rate of data
  1 kbit/s kbps
  1000 mbit/s mbps
  1000000 gbit/s gbps
speed
  1 km/h kmh kph
  1.609344 mph
power
  1 w watt watts
  1000 kw kilowatt kilowatts
energy
  1 kwh
energy of food
  1 calorie calories kcal
times
  1 x times mal fois veces vezes volte keer \u00d7
"""

_SCALES = """
  100 hundred
  1e3 k thousand tausend mille mil 千
  1e4 万 萬
  1e6 million millions millionen millón millones milhão milhões milione milioni miljoen mio
  1e8 億 亿
  1e9 bn billion billions milliarde milliarden milliard milliards miliardo miliardi miljard mrd
  1e12 trillion trillions billionen billones
"""


class Unit(NamedTuple):
    """A unit: what it measures, and how many of the dimension's first unit it is."""

    dimension: str
    factor: float


def _units() -> Iterator[tuple[str, Unit]]:
    dimension = ""
    for line in _SPELLINGS.replace("\n    ", " ").strip().splitlines():
        if not line.startswith(" "):
            dimension = line
            continue
        factor, *spellings = line.split()
        for spelling in spellings:
            yield spelling, Unit(dimension, float(factor))


UNITS: dict[str, tuple[Unit, ...]] = {}
"""By each spelling; a cent is a part of several currencies."""
for _spelling, _unit in _units():
    UNITS[_spelling] = (*UNITS.get(_spelling, ()), _unit)

CURRENCIES = {sign: UNITS[sign] for sign in "$€£¥\uffe5"}
"""The signs in front of an amount."""

MONEY = frozenset({"dollar", "euro", "sterling", "yen", "yuan", "franc"})
"""The dimensions of amounts; a claim in one contradicts an amount in another."""

SCALES = {
    word: float(value)
    for value, *words in map(str.split, _SCALES.strip().splitlines())
    for word in words
}
