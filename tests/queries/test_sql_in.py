"""Questions in SQL: the same measurements as in Python, and errors that point at the word."""

import re

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

import noisewright as nw
from noisewright.errors import NoisewrightError, ParameterError
from noisewright.queries import condition_from_sql

COLUMNS = {
    "sex": ["F", "M"],
    "age": nw.Counts(100),
    "hours": nw.Interval(0, 100, step=0.5),
    "born": nw.Dates("1950-01-01", "2020-12-31"),
    "native-country": ["US", "DE", "FR"],
    "ok": [False, True],
}
ROWS = pa.table(
    {
        "who": ["a", "a", "b", "c", "d"],
        "sex": ["F", "M", "F", None, "M"],
        "age": [20, 30, None, 64, 99],
        "hours": [1.5, 40.0, 100.0, None, 7.0],
        "born": ["2000-01-01", "1999-12-31", None, "1950-01-01", "2020-12-31"],
        "native-country": ["US", "DE", "FR", "US", None],
        "ok": [True, None, False, True, True],
    }
)
PEOPLE = nw.Private(ROWS, columns=COLUMNS, ledger=None, change="add or remove")
age, hours, born, ok = (nw.col(name) for name in ("age", "hours", "born", "ok"))
sex, country = nw.col("sex"), nw.col("native-country")
band = nw.when(age < 30).then("young").when(age.is_null()).then(None).otherwise("old")

SAME = {
    "SELECT COUNT(*) FROM people": PEOPLE.count(),
    "select sex, count(1) as n from t group by sex order by sex": (
        PEOPLE.group_by("sex").agg(n=nw.count())
    ),
    "SELECT p.Sex, COUNT(p.age) AS known FROM people AS p GROUP BY p.sex": (
        PEOPLE.group_by("sex").agg(known=age.count())
    ),
    """SELECT sex, ok, SUM(hours) AS s, AVG(hours) AS m, VAR_POP(hours) AS v, STDDEV_POP(age) AS d
    FROM people -- a comment
    WHERE age >= 25 AND (ok OR NOT sex = 'F') AND hours <> 7.5
    GROUP BY 1, 2;""": PEOPLE.filter((age >= 25) & (ok | ~(sex == "F")) & (hours != 7.5))
    .group_by("sex", "ok")
    .agg(s=hours.sum(), m=hours.mean(), v=hours.var(), d=age.std()),
    """SELECT MEDIAN(age) AS a, QUANTILE(age, [0.25, 0.75]) AS b, MIN(hours) AS c, MAX(hours) AS d,
    PERCENTILE_CONT(0.1) WITHIN GROUP (ORDER BY hours) AS e,
    PERCENTILE_DISC(0.2) WITHIN GROUP (ORDER BY born) AS f, QUANTILE_DISC(hours, 0.3) AS g
    FROM people""": PEOPLE.agg(
        a=age.median(),
        b=age.quantiles([0.25, 0.75]),
        c=hours.min(),
        d=hours.max(),
        e=hours.quantile(0.1),
        f=born.quantile(0.2),
        g=hours.quantile(0.3),
    ),
    'SELECT HISTOGRAM(age, [0, 18, 65, 100]) AS h, APPROX_TOP_K("native-country", 2) AS t FROM p': (
        PEOPLE.agg(h=age.histogram([0, 18, 65, 100]), t=country.top(2))
    ),
    'SELECT COUNT(DISTINCT "native-country") AS d FROM people WHERE age IN (1, 2, -3)': (
        PEOPLE.filter(age.is_in([1, 2, -3])).agg(d=country.count_distinct())
    ),
    """SELECT AVG(COALESCE(age, 0) + hours * 2 - 1.5) AS m FROM people
    WHERE age BETWEEN 3 AND 5.5 OR "native-country" NOT IN ('US') OR sex IS NOT NULL""": (
        PEOPLE.filter(age.is_between(3, 5.5) | ~country.is_in(["US"]) | ~sex.is_null()).agg(
            m=(age.fill_null(0) + hours * 2 - 1.5).mean()
        )
    ),
    """SELECT EXTRACT(YEAR FROM born) AS y, MONTH(born) AS m, COUNT(*) AS n FROM people
    WHERE born >= DATE '1999-12-31' AND born < '2020-01-01' AND EXTRACT(ISODOW FROM born) <= 5
    GROUP BY y, m ORDER BY y, m""": PEOPLE.filter(
        (born >= "1999-12-31") & (born < "2020-01-01") & (born.dt.weekday() <= 5)
    )
    .group_by(y=born.dt.year(), m=born.dt.month())
    .agg(n=nw.count()),
    """SELECT CASE WHEN age < 30 THEN 'young' WHEN age IS NULL THEN NULL ELSE 'old' END AS band,
    COUNT(*) AS n FROM people GROUP BY band""": PEOPLE.group_by(band=band).agg(n=nw.count()),
    "SELECT CASE sex WHEN 'F' THEN 1 ELSE 0 END k, COUNT(*) n FROM people GROUP BY k": (
        PEOPLE.group_by(k=nw.when(sex == "F").then(1).otherwise(0)).agg(n=nw.count())
    ),
    "SELECT SUM(CASE WHEN age > 30 THEN 1 ELSE 0 END) s, SUM(IF(ok, age, 0)) t FROM people": (
        PEOPLE.agg(
            s=nw.when(age > 30).then(1).otherwise(0).sum(),
            t=nw.when(ok).then(age).otherwise(0).sum(),
        )
    ),
    "SELECT (age // 10) AS decade, COUNT(*) n FROM p WHERE age % 2 = 0 AND 30 < age GROUP BY 1": (
        PEOPLE.filter((age % 2 == 0) & (age > 30)).group_by(decade=age // 10).agg(n=nw.count())
    ),
}


@pytest.mark.parametrize("text", SAME, ids=range(len(SAME)))
def test_sql_measures_the_same_as_python(text: str) -> None:
    asked, other = PEOPLE.sql(text), SAME[text]
    assert list(asked.aggregates) == list(other.aggregates)
    assert {name: key.points for name, key in asked.keys.items()} == {
        name: key.points for name, key in other.keys.items()
    }
    assert asked.certify(epsilon=1).document == other.certify(epsilon=1).document
    mine, theirs = (
        [one.compute().tolist() for one in q.asked.measurements] for q in (asked, other)
    )
    assert mine == theirs


def test_people_are_counted_by_their_column() -> None:
    table = nw.Private(ROWS, columns=COLUMNS, ledger=None, person="who").limit(rows=2)
    asked = table.sql("SELECT COUNT(DISTINCT who) AS n FROM people")
    assert asked.aggregates["n"] == nw.count_people()
    with pytest.raises(ParameterError, match=r"COUNT\(DISTINCT"):
        table.sql("SELECT who, COUNT(*) FROM people GROUP BY who")


def test_aggregates_without_a_name_get_one() -> None:
    asked = PEOPLE.sql(
        "SELECT COUNT(*), AVG(age), AVG(hours), AVG(age + 1), AVG(age + 2), COUNT(DISTINCT sex), "
        "min(age), QUANTILE_CONT(age, 0.5) FROM people GROUP BY EXTRACT(YEAR FROM born)"
    )
    assert list(asked.aggregates) == [
        "count", "avg_age", "avg_hours", "avg", "avg_2", "count_distinct_sex", "min_age",
        "quantile_cont_age",
    ]  # fmt: skip
    assert list(asked.keys) == ["EXTRACT(YEAR FROM born)"]


# What is wrong stands between « and »; then some words of the error.
WRONG = {
    "SELECT «*» FROM people": "would show the rows",
    "SELECT people.«*» FROM people": "would show the rows",
    "SELECT «*» EXCLUDE (age) FROM people": "would show the rows",
    "SELECT «sex» FROM people": "Put it into GROUP BY",
    "SELECT «age», COUNT(*) FROM people GROUP BY sex": "Put it into GROUP BY",
    "«SELECT» age FROM people GROUP BY age": r"add COUNT\(\*\)",
    "SELECT «DISTINCT» sex FROM people": "all declared values appear",
    "SELECT COUNT(*)\nFROM people\n«LIMIT» 5": "APPROX_TOP_K",
    "SELECT COUNT(*) FROM people «OFFSET» 3": "no OFFSET",
    "SELECT sex, COUNT(*) FROM people GROUP BY sex ORDER BY «COUNT(*»)": "sort the answer",
    "SELECT sex, COUNT(*) n FROM people GROUP BY sex ORDER BY «n» DESC": "sort the answer",
    "SELECT sex, COUNT(*) n FROM people GROUP BY sex ORDER BY «sex» DESC": "sort the answer",
    "SELECT sex, COUNT(*) FROM people GROUP BY sex «HAVING» COUNT(*) > 3": "rows of the answer",
    "SELECT AVG(age) «OVER» (PARTITION BY sex) FROM people": "windows",
    "SELECT COUNT(*) FROM people «QUALIFY» 1": "windows",
    "SELECT COUNT(*) «FILTER» (WHERE age > 3) FROM people": "CASE WHEN",
    "SELECT AVG(age) FROM people WHERE «random»() < 0.5": "random functions",
    "SELECT AVG(age) FROM people WHERE age > («SELECT» AVG(age) FROM people)": "subqueries",
    "SELECT AVG(age) FROM people WHERE age IN («SELECT» age FROM people)": "subqueries",
    "SELECT AVG(age) FROM people WHERE EXISTS («SELECT» 1)": "subqueries",
    "SELECT COUNT(*) FROM («SELECT» * FROM people)": "name of one table",
    "SELECT COUNT(*) FROM «read_csv('x.csv'»)": "name of one table",
    "SELECT COUNT(*) FROM «other.people»": "name of one table",
    "SELECT COUNT(*) FROM «people TABLESAMPLE 10»%": "name of one table",
    "SELECT COUNT(*) FROM «people AS p (a, b»)": "name of one table",
    "SELECT COUNT(*) FROM people«,» others": "people.join",
    "SELECT COUNT(*) FROM people «JOIN» others USING (age)": "people.join",
    "«SELECT» COUNT(*)": "add FROM and a table",
    "SELECT COUNT(*) FROM people «UNION» SELECT 3": "by itself",
    "«WITH» x AS (SELECT 1) SELECT COUNT(*) FROM x": "starts with SELECT",
    "«DROP» TABLE people": "starts with SELECT",
    "SELECT COUNT(*) FROM people; «DROP» TABLE people": "more than one statement",
    "SELECT COUNT(*) «INTO» x FROM people": "answer.save",
    "SELECT AVG(age) FROM people WHERE «height» > 3": "'height'; the declared columns are sex, age",
    "SELECT AVG(age) FROM people WHERE «native»-country = 'US'": '"native-country"',
    'SELECT «"SEX"», COUNT(*) FROM people GROUP BY 1': "no column 'SEX'",
    "SELECT «o».age, COUNT(*) FROM people GROUP BY age": "'o' is not the table in FROM",
    "SELECT AVG(age) FROM people WHERE «sex = 'X'»": "not one of the declared labels: 'F', 'M'",
    "SELECT AVG(age) FROM people WHERE ok AND «sex > 'F'»": "labels have no order",
    "SELECT AVG(age) FROM people WHERE «age»": "not a condition",
    "SELECT AVG(age) FROM people WHERE age = «NULL»": "IS NULL",
    "SELECT AVG(age) FROM people WHERE age IN (1, «NULL»)": "IS NULL",
    "SELECT AVG(age) FROM people WHERE «ok» IS TRUE": "IS can be followed",
    "SELECT AVG(age) FROM people WHERE «sex LIKE 'F%'»": r"IN \(",
    "SELECT AVG(age) FROM people WHERE «age / hours» > 2": "not another column",
    "SELECT AVG(age) FROM people WHERE «age % 0» = 1": "% by 0",
    "SELECT AVG((«age - 50) // 3») FROM people": "below 0",
    "SELECT AVG(age) FROM people WHERE «born > '2000-13-01'»": "not a date",
    "SELECT AVG(age) FROM people WHERE born > DATE «'yesterday'»": "not a date",
    "SELECT AVG(age) FROM people WHERE age > «CURRENT_DATE»": "cannot be asked",
    "SELECT AVG(age) FROM people WHERE age > «?»": "cannot be asked",
    "SELECT AVG(age) FROM people WHERE «age BETWEEN SYMMETRIC 3 AND 2»": "cannot be asked",
    "SELECT AVG(age) FROM people WHERE -«'3'» = age": "needs a number",
    "SELECT «AVG»(sex) FROM people": "sex holds labels",
    "SELECT COUNT(*), «SUM»(born) FROM people": "is not defined",
    "SELECT «VARIANCE»(age) FROM people": "VAR_POP",
    "SELECT «VAR_SAMP»(age) FROM people": "VAR_POP",
    "SELECT «STDDEV»(age) FROM people": "STDDEV_POP",
    "SELECT «STDDEV_SAMP»(age) FROM people": "STDDEV_POP",
    "SELECT AVG(DISTINCT «age») FROM people": "DISTINCT",
    "SELECT «COUNT»(DISTINCT age, sex) FROM people": "one expression",
    "SELECT «COUNT»() FROM people": "what is counted",
    "SELECT COUNT(people.«*») FROM people": "would show the rows",
    "SELECT AVG(«CAST»(age AS DOUBLE)) FROM people": "declared columns",
    "SELECT AVG(«age»::int) FROM people": "declared columns",
    "SELECT «my_function»(age) FROM people": "cannot be asked. Aggregates are",
    "SELECT AVG(«my_function»(age)) FROM people": "cannot be asked",
    "SELECT AVG(«age ORDER BY hours») FROM people": "cannot be asked",
    "SELECT «MAX»(age, 3) FROM people": "cannot be asked",
    "SELECT «AVG»(age) + 1 FROM people": "cannot be asked",
    "SELECT AVG(«x -> x + 1») FROM people": "cannot be asked",
    "SELECT «age ** 2», COUNT(*) FROM people GROUP BY 1": "cannot be asked",
    "SELECT («age, sex»), COUNT(*) FROM people GROUP BY 1": "cannot be asked",
    "SELECT AVG(«3») FROM people": "the same for all rows",
    "SELECT QUANTILE(age, «hours») FROM people": "constants",
    "SELECT «QUANTILE»(age, 1.5) FROM people": "from 0 to 1",
    "SELECT «PERCENTILE_CONT»(0.5) FROM people": "WITHIN GROUP",
    "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY «age» DESC) FROM people": "small to large",
    "SELECT «HISTOGRAM»(age) FROM people": "cannot be asked",
    "SELECT «HISTOGRAM»(age, [3, 2]) FROM people": "must rise",
    "SELECT «APPROX_TOP_K»(sex) FROM people": "how many",
    "SELECT «APPROX_TOP_K»(sex, 2.5) FROM people": "k is 2.5",
    "SELECT «APPROX_TOP_K»(age, 3) FROM people": "needs labels",
    "SELECT EXTRACT(«DOW» FROM born), COUNT(*) FROM people GROUP BY 1": "ISODOW",
    "SELECT «EXTRACT»(YEAR FROM age), COUNT(*) FROM people GROUP BY 1": "needs dates",
    "SELECT AVG(COALESCE(age, «hours»)) FROM people": "constants",
    "SELECT AVG(«CASE» WHEN age > 3 THEN 'x' ELSE 2 END) FROM people": "one branch holds labels",
    "SELECT COUNT(*) AS n, «SUM»(age) AS n FROM people": "'n' is already used",
    "SELECT «COUNT»(*) AS sex FROM people GROUP BY sex": "'sex' is already used",
    "SELECT COUNT(*) FROM people GROUP BY «1»": "cannot be a key",
    "SELECT COUNT(*) FROM people GROUP BY «3»": "SELECT has 1 part;",
    "SELECT COUNT(*) FROM people GROUP BY sex, «sex»": "a key already",
    "SELECT COUNT(*) FROM people «GROUP BY» ALL": "GROUP BY takes",
    "SELECT COUNT(*) FROM people GROUP BY «true»": "depends on the row",
    "SELECT COUNT(*) FROM people «WHERE»": "something is missing after 'WHERE'",
    "SELECT COUNT(* «FROM» people": "'\\)' was expected",
    "SELECT 'é', COUNT(*)\nFRM «people»": "'people' is not expected",
    "SELECT AVG(age) FROM people\n\tWHERE «age >= 1e400»": "too many digits",
    "SELECT AVG(«age * 1000000000000000000000») FROM people": "62 bits",
}


@pytest.mark.parametrize("marked", WRONG)
def test_what_cannot_be_asked_is_refused_at_its_word(marked: str) -> None:
    before, word, after = re.split("[«»]", marked)
    with pytest.raises(ParameterError, match=WRONG[marked]) as caught:
        PEOPLE.sql(before + word + after)
    head, shown, marks = str(caught.value).split("\n")
    line = before.count("\n")
    column = len(before.rpartition("\n")[2])
    assert head.startswith(f"line {line + 1}, column {column + 1}: ")
    assert shown[2:] == (before + word + after).split("\n")[line]
    assert marks.endswith("^" * len(word))
    assert marks[2 : 2 + column].strip(" \t") == ""
    assert marks[2 + column :] == "^" * len(word)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "write a text such as SELECT"),
        ("  ", "write a text such as SELECT"),
        ("-- nothing", "is empty"),
        (3, "write a text such as SELECT"),
        ("SELECT COUNT(*) FROM people WHERE sex = 'F", "a quote that is not closed"),
        ("SELECT " + "(" * 9_000 + "1", "."),
        ("SELECT COUNT(*) FROM people WHERE " + "NOT " * 4_000 + "ok", "."),
        ("SELECT " + "age + " * 9_000 + "1", "at most"),
    ],
)
def test_texts_that_cannot_be_read_are_refused(text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        PEOPLE.sql(text)


WORDS = (
    "SELECT FROM WHERE GROUP BY ORDER people sex age born ok COUNT AVG QUANTILE MIN ( ) * , 1 0.5 "
    "'F' + - / // % < = AND OR NOT IN BETWEEN IS NULL CASE WHEN THEN ELSE END AS DISTINCT EXTRACT "
    'YEAR COALESCE DATE HISTOGRAM [ ] OVER LIMIT ; . WITHIN -- " ? $ : CAST'
)


@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=12))
@settings(max_examples=300)
def test_no_text_makes_it_fail_in_another_way(words: list[str]) -> None:
    for text in (" ".join(words), "SELECT " + " ".join(words) + " FROM people"):
        try:
            PEOPLE.sql(text)
        except NoisewrightError:
            continue


def test_a_condition_stands_alone() -> None:
    found = condition_from_sql(PEOPLE, "age >= 25 AND sex = 'F'")
    assert str(found) == str((age >= 25) & (sex == "F"))
    for text, words in {
        "age >= 25 GROUP BY sex": "line 1, column 11",
        "age >= 25; DROP TABLE people": "line 1, column 12: there is more than one",
        "age": "not a condition",
        "COUNT(*) > 3": "cannot be asked",
        "": "such as age >= 25",
    }.items():
        with pytest.raises(ParameterError, match=words):
            condition_from_sql(PEOPLE, text)
