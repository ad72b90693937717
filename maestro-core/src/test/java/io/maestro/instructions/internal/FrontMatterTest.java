package io.maestro.instructions.internal;

import static io.maestro.testing.AssertThat.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrontMatterTest {
    private static FrontMatter read(String lines) {
        return FrontMatter.read("---\n" + lines.replace("|", "\n").replace('!', '|') + "\n---\nname: not this one\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
            name: pdf|description: Reads PDF: all of it.           ; pdf ; Reads PDF: all of it.
            description: 'It''s quoted' |name: "a \\"b\\" c"       ; a "b" c ; It's quoted
            name: pdf|description: >-|  Two|  lines|license: MIT   ; pdf ; Two lines
            name: pdf|description: !|  Two||  lines                ; pdf ; Two lines
            name: pdf|description:|  below it|allowed-tools: [Read]; pdf ; below it
            name: pdf|description: begun|  and ended               ; pdf ; begun and ended
            name: first|name: second|description: d                ; first ; d
            metadata:|  name: inner|name: outer|description: d     ; outer ; d
            names: x|description: d                                ; ~~ ; d
            name:x|description: d                                  ; ~~ ; d
            """)
    void theTwoFieldsAreRead(String lines, String name, String description) {
        assertThat(read(lines)).isEqualTo(new FrontMatter(name, description));
    }

    @Test
    void aCommentAndWindowsLineEndsAreNoPartOfThem() {
        assertThat(FrontMatter.read("---\r\nname: pdf # of course\r\ndescription: C# and all\r\n---\r\n"))
                .isEqualTo(new FrontMatter("pdf", "C# and all"));
    }

    @Test
    void whatNobodySeesIsTakenOut() {
        assertThat(read("name: p\u200bdf|description: a\u202eb\u0007c \udb40\udc41d"))
                .isEqualTo(new FrontMatter("pdf", "ab c d"));
    }

    /** What YAML would include, expand or make. */
    @ParameterizedTest
    @ValueSource(strings = {"&a x", "*a", "!!python/object x", "{a: b}", "[a, b]", "%TAG", "@x", "`x`", "|x", ">x y"})
    void nothingIsExpanded(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FrontMatter.read("---\ndescription: " + value + "\n---\n"))
                .withMessage("its description is no plain text");
    }

    @Test
    void aBombOfAliasesIsText() {
        StringBuilder bomb = new StringBuilder("---\na0: &a0 [x,x]\n");
        for (int i = 1; i < 90; i++) {
            bomb.append("a" + i + ": &a" + i + " [*a" + (i - 1) + ",*a" + (i - 1) + "]\n");
        }
        assertThat(FrontMatter.read(bomb + "description: d *a89\n---\n")).isEqualTo(new FrontMatter("", "d *a89"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# Title\n---\nname: x\n---\n", "--- \nx", "---\n---x\n", "----\n"})
    void withoutABeginningAndAnEndThereIsNone(String file) {
        assertThatIllegalArgumentException().isThrownBy(() -> FrontMatter.read(file));
    }

    @Test
    void whatIsTooLongHasNoEnd() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FrontMatter.read("---\n" + "x: y\n".repeat(300) + "---\n"))
                .withMessage("its front matter has no end within 200 lines and 16000 characters");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FrontMatter.read("---\nx: " + "y".repeat(20_000) + "\n---\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"no end", "'no end''", "\"no end\\\""})
    void aQuoteHasAnEnd(String value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FrontMatter.read("---\nname: " + value + "\n---\n"))
                .withMessageStartingWith("its name begins with ");
    }
}
