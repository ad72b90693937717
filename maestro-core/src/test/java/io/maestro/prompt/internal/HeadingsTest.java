package io.maestro.prompt.internal;

import static io.maestro.testing.AssertThat.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeadingsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Add a health page | # Add a health page\\n\\nAt /health. | At /health.
            Add a health page | Add a health page\\nAt /health.        | At /health.
            Add a health page | # Add a health page                 | # Add a health page
            Add a health page | At /health.                         | At /health.
            Health            | # Health page\\nAt /health.           | # Health page\\nAt /health.
            """)
    void aTitleThatIsNamedAlreadyIsLeftOut(String title, String markdown, String below) {
        assertThat(Headings.below(title, markdown.replace("\\n", "\n"))).isEqualTo(below.replace("\\n", "\n"));
    }
}
