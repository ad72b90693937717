package io.maestro.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PersonNameTest {
    @ParameterizedTest
    @CsvSource({
        "alice, ALICE",
        "alice, @Alice",
        "@alice, \uff20\uff41lice",
        "alice, alice\ufe0f",
        "alice, al\u3164ice",
        "stra\u00dfe, STRASSE",
        "stra\u00dfe, STRA\u1e9eE",
        "I\u015f\u0131l, I\u015eIL",
        "\u0130nci, inci",
        "Jos\u00e9, JOSE\u0301",
        "\u03a3\u03bf\u03c2, \u03c3\u03bf\u03c3",
        "Ann Lee, ann\u00a0\u2003lee",
    })
    void onePerson(String one, String other) {
        PersonName.check("who?", one);
        assertThat(PersonName.isSame(one, other)).isTrue();
        assertThat(PersonName.isSame(other, one)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"alice, alicia", "Jos\u00e9, Jose", "al-ice, alice", "a@b, ab", "Ann Lee, AnnLee"})
    void twoPersons(String one, String other) {
        assertThat(PersonName.isSame(one, other)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alice\ufe0f",
                "al\u034fice",
                "alice\u17b4",
                "alice\u180b",
                "al\u3164ice",
                "al\u2800ice",
                "\u2800",
                "alice\udb40\udd01",
                "a\u200bb",
                "a\u115fb",
                "a\uffa0b",
                "a\u2028b",
                "a\tb",
                "\u00a0",
                "@",
                "@ "
            })
    void noName(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PersonName.check("who?", name))
                .withMessageStartingWith("who? A name has 1 to 100 characters, and none of them is invisible");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alice",
                "Ren\u00e9e O'Neil",
                "\u738b\u5c0f\u660e",
                "\uae40\ucca0\uc218",
                "bot[1]",
                "\ud83d\ude00"
            })
    void aName(String name) {
        PersonName.check("who?", name);
        assertThat(PersonName.isSame(name, name)).isTrue();
    }
}
