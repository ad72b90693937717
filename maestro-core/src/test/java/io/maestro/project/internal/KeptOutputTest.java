package io.maestro.project.internal;

import static io.maestro.testing.AssertThat.assertThat;

import org.junit.jupiter.api.Test;

class KeptOutputTest {
    private static KeptOutput of(String text) {
        return KeptOutput.of("h", text);
    }

    @Test
    void linesAreCountedHoweverTheyEnd() {
        assertThat(of("").lines()).isZero();
        assertThat(of("").tail(10)).isEqualTo(new KeptOutput.OutputPage(1, 1, ""));
        assertThat(of("a\r\nb\rc\n\nd").lines()).isEqualTo(5);
        assertThat(of("a\r\nb\rc\n\nd").page(1)).isEqualTo(new KeptOutput.OutputPage(1, 6, "a\nb\nc\n\nd"));
        assertThat(of("a\nb\n").page(2)).isEqualTo(new KeptOutput.OutputPage(2, 4, "b\n"));
        assertThat(of("a\nb\n").page(3)).isEqualTo(new KeptOutput.OutputPage(3, 4, ""));
    }

    @Test
    void theTailIsWholeLinesAndOneAtLeast() {
        assertThat(of("aaaa\nbbbb\ncccc").tail(9)).isEqualTo(new KeptOutput.OutputPage(2, 4, "bbbb\ncccc"));
        assertThat(of("aaaa\nbbbb\ncccc").tail(8)).isEqualTo(new KeptOutput.OutputPage(3, 4, "cccc"));
        assertThat(of("aaaa\nbbbb\ncccc").tail(1)).isEqualTo(new KeptOutput.OutputPage(3, 4, "cccc"));
        assertThat(of("aaaa\nbbbb\ncccc").tail(14)).isEqualTo(new KeptOutput.OutputPage(1, 4, "aaaa\nbbbb\ncccc"));
        assertThat(of("a\n").tail(10)).isEqualTo(new KeptOutput.OutputPage(1, 3, "a\n"));
    }

    @Test
    void aPageHasAnEndAndALongLineIsSeveral() {
        KeptOutput many = of("x\n".repeat(2_500).strip());
        assertThat(many.page(1).next()).isEqualTo(1_001);
        assertThat(many.page(2_001))
                .matches(page -> page.next() == 2_501 && page.text().length() == 999);

        String letter = "\ud83d\ude00";
        KeptOutput wide = of("a" + letter.repeat(30_000));
        assertThat(wide.lines()).isEqualTo(15);
        StringBuilder all = new StringBuilder();
        for (int line = 1; line <= wide.lines(); line = wide.page(line).next()) {
            assertThat(wide.page(line).text().length()).isLessThanOrEqualTo(48_000);
            wide.page(line).text().lines().forEach(part -> {
                assertThat(Character.isLowSurrogate(part.charAt(0))).isFalse();
                all.append(part);
            });
        }
        assertThat(all.toString()).isEqualTo("a" + letter.repeat(30_000));
    }
}
