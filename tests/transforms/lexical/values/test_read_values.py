"""Read values, and compare those of different spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.values.read_values import read_values
from groundwatch.transforms.lexical.values.value import Value

EQUAL = """
2.4 GHz | 2,400 MHz
14:00 | 2 pm
9:00 | 9 am
17:00 | 5 p.m.
2:30 p.m. | 14:30
9:30 a.m. | 9.30
14 Uhr | 2 pm
14h30 | 14:30
12:00 | noon
9:00 | 9
10k dollars | 10,000 dollars
1.5M users | 1,500,000 users
2bn | 2 billion
3 Mio. Euro | 3,000,000 euros
$5k | 5,000 dollars
2 million | 2,000,000
twenty-five users | 25 users
two hundred fifty | 250
one hundred and five users | 105 users
one hundred and fifty thousand | 150,000
twenty-one days | 21 days
one hundred and one users | 101 users
dix-sept jours | 17 jours
soixante-dix-sept euros | 77 euros
vingt et un jours | 21 jours
treinta y un días | 31 días
trinta e uma horas | 31 horas
dreißig Tage | 30 Tage
vierundzwanzig Stunden | 24 Stunden
zwei hundert Euro | 200 Euro
elf Tage | 11 Tage
vingt-quatre heures | 24 heures
soixante-dix euros | 70 euros
quatre-vingt-dix euros | 90 euros
sept jours | 7 jours
treinta y cinco días | 35 días
quince días | 15 días
trinta e cinco dias | 35 dias
venticinque giorni | 25 giorni
drieëntwintig dagen | 23 dagen
drie jaar | 3 jaar
two weeks | 14 days
a week | 7 days
12 months | 1 year
one month | 30 days
half an hour | 30 minutes
24h | 24 hours
24/7 | 24 hours
90 minutes | 1.5 hours
90 minutes | 1 hour and 30 minutes
90 minutes | 1 hour 30 minutes
90 minutes | an hour and a half
90 minutes | one and a half hours
90 minutes | 1h30
90 minutes | 1h 30m
90 minutes | une heure trente
90 minutes | une heure et demie
90 minutos | 1 hora y 30 minutos
90 Minuten | anderthalb Stunden
2.5 years | 30 months
2½ years | 2 years and 6 months
deux heures et demie | 2.5 hours
dos horas y media | 2.5 hours
due ore e mezza | 2.5 hours
zwei Stunden und 30 Minuten | 2.5 hours
1 day 2 hours 30 minutes | 26.5 hours
three and a half percent | 3.5%
three and a quarter percent | 3.25%
one and a half million users | 1,500,000 users
two and a half thousand users | 2,500 users
twelve dollars and fifty cents | $12.50
4€90 | 4.90 €
6 feet 3 inches | 75 inches
½ cup | 0.5 cup
1/2 cup | 0.5 cup
1½ cups | 1.5 cups
$0.99 | 99 cents
20€ | €20
20 EUR | 20 euros
€1.2 billion | 1,200,000,000 euros
15 percent | 15%
25% | 1/4
29 to 15 days | 18 days
29 to 15 days | 15 to 29 days
15 % | 15 Prozent
1.5 metres | 150 cm
6ft | 6 feet
1.2 kg | 1,200 g
2 GB | 2048 MB
2 GB | 2000 MB
100 Mbit/s | 100 Mbps
20°C | 20 degrees Celsius
3x | triple
1990s | the '90s
1990s | 1994
03/04/2025 | March 4, 2025
03/04/2025 | 3 April 2025
31/12/2025 | Dec. 31, 2025
2025-03-04 | 4th of March 2025
4.3.2025 | March 4, 2025
3. Mai 1987 | May 3, 1987
le 3 mars 2021 | March 3, 2021
2019年3月5日 | 5 March 2019
May 3rd | 3 May 2024
January 1887 | 1887
(800) 555-0199 | 800.555.0199
0800 123 456 | 0800-123456
1 299,50 € | 1.299,50 €
8万5千円 | 85000円
十四天 | 14天
二十四小时 | 24小时
一百零五天 | 105天
十分間 | 10分間
三万人 | 30000人
3-5 days | three to five days
between 5 and 7 kg | 5 to 7 kg
3-5 days | 4 days
5-10k | 5,000 to 10,000
25p | £0.25
99 pounds | £99
ninety-nine pounds | 99 lb
25 centimes | 0,25 €
25 céntimos | 0,25 €
80 kilometres per hour | 80 km/h
50 miles per hour | 50 mph
mil doscientos euros | 1.200 €
CHF 20 | 20 francs
500 Mo | 500 MB
600 requests per minute | 600 a minute
$5/month | $5 monthly
1.000 Anfragen täglich | 1,000 requests per day
$12 per user and month | $12 per user per month
about 67 % | 66.76 %
over 8.5 million | 8,537,673
nearly 300 users | 297 users
etwa 3.200 Nutzer | 3.217 Nutzer
""".strip().splitlines()


@pytest.mark.parametrize("pair", EQUAL)
def test_equal_values_are_equal_in_any_spelling(pair: str) -> None:
    one, other = map(read_values, pair.split(" | "))
    assert any(value.equals(its) and its.equals(value) for value in one for its in other)


@pytest.mark.parametrize(
    "text",
    [
        *("once it is over", "the due date", "quince jelly", "dos and don'ts"),
        *("十分感謝", "三四天", "第十四条"),
    ],
)
def test_words_that_are_numbers_in_another_language_are_none(text: str) -> None:
    assert read_values(text) == []


def test_numerals_keep_their_places() -> None:
    text = "十月十四日。十天后。二十四小时。5天"
    assert [text[each.start : each.end] for each in read_values(text)] == [
        *("十月十四", "十天", "二十四小时", "5天")
    ]


DIFFERENT = """
14:00 | 3 pm
10k | 1,000
one hundred and five users | 100 users
between one hundred and five hundred users | 105 users
twenty and thirty users | 50 users
quatre-vingts euros | 4 euros
treinta días | 14 días
three to thirty-five users | 10 users
twenty and a half kilos | 21 kilos
two and a half hours | 1.5 hours
two and a half hours | 2 hours
five and a half kilograms | 5 kg
zweieinhalb Stunden | 1,5 Stunden
1 hour and 30 minutes | 1 hour
1 hour and 30 minutes | 30 minutes
1h30 | 2 hours
3 euros and a quarter of the fee | 3.25 euros
30 minutes and 2 hours | 2.5 hours
5 kg and 3 days | 5.5 kg
drie jaar | 2 jaar
三十天 | 14天
two weeks | 15 days
$5 | $6
$5 | €5
5 kg | 5 lb
330 metres | 330 feet
1990s | 1985
March 4, 2025 | March 5, 2025
May 1887 | March 1887
100 years | 100 centuries
20°C | 20°F
1999 | 2000
58 degrees | 69°F
3-5 days | 5-7 days
3-5 days | 6 days
3 bis 5 Tage | 5 bis 7 Tage
25p | £25
99 pounds | $99
80 kilometres per hour | 80 mph
80 km per hour | 80 km
20 CHF | 20 kroner
500 Mo | 500 Go
600 requests per second | 600 requests per minute
$5 a month | $5 a year
1.000 Anfragen täglich | 1.000 Anfragen stündlich
67 % | 66.76 %
about 67 % | 66.2 %
about 3 million | 2.7 million
over $50 | $55
up to $1,000 | $112
over 100 users | 187 users
29 to 15 days | 12 days
34-23 | 25
nearly 300 users | 305 users
over 300 users | 297 users
""".strip().splitlines()


@pytest.mark.parametrize("pair", DIFFERENT)
def test_different_values_are_not_equal(pair: str) -> None:
    one, other = map(read_values, pair.split(" | "))
    assert one
    assert other
    assert not any(value.equals(its) for value in one for its in other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs $1,200.50 a month.", ["$1,200.50"]),
        ("From 5 March 2019 until noon", ["5 March 2019", "noon"]),
        ("between 2019-2021", ["2019", "2021"]),
        ("Lamps may march on; one of them glows.", []),
        ("Wait 5 m for 10 mg.", ["5 m", "10 mg"]),
        ("It takes 3-5 days, or 5 to 7.", ["3-5 days", "5 to 7"]),
        ("Zwischen 12 und 20 Uhr, from 1-2 pm", ["12", "20 Uhr", "1", "2 pm"]),
        ("The 25 p and 720p videos cost CHF 9.", ["25", "720p", "CHF 9"]),
    ],
)
def test_a_value_is_the_text_with_its_unit(text: str, expected: list[str]) -> None:
    explicit = [value for value in read_values(text) if not value.is_implied]
    assert [text[value.start : value.end] for value in explicit] == expected


@pytest.mark.parametrize("text", ["Step 5: wait.", "See page 12.", "Table 3 and figure 4"])
def test_the_number_of_a_part_of_a_text_is_only_implied(text: str) -> None:
    assert all(value.is_implied for value in read_values(text))


PIECES = [
    *("12", "1.5", "1,299", "½", "k", "M", "$", "€", "%", " ", "-", "/", ":", ".", "March"),
    *("2024", "am", "pm", "two", "hundred", "million", "days", "kg"),
    *("年", "月", "万", "II", "'90s"),
]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_values_lie_in_the_text_in_order_and_equal_themselves(text: str) -> None:
    values = read_values(text)
    assert all(0 <= value.start < value.end <= len(text) for value in values)
    starts = [value.start for value in values]
    assert starts == sorted(starts)
    for value in values:
        assert value.equals(value)


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert all(isinstance(value, Value) for value in read_values(text))


@pytest.mark.parametrize(
    "text",
    [
        *("It takes 3 to six days.", "On 5 August 1790.", "On 5 April 2020.", "April 5, 2020"),
        *("5 mph, or 3 per second", "5 minutes daily", "2 kilograms", "3 and two sixths miles"),
    ],
)
def test_letters_that_an_expression_without_case_takes_for_others_do_no_harm(text: str) -> None:
    for letter, other in (("s", "\u017f"), ("i", "\u0131"), ("i", "\u0130"), ("k", "\u212a")):
        assert all(isinstance(each, Value) for each in read_values(text.replace(letter, other)))
    # The month is read in both spellings.
    assert read_values("5 Augu\u017ft 1790")[0].equals(read_values("5 August 1790")[0])
