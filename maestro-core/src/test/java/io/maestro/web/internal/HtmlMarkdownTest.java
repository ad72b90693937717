package io.maestro.web.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.web.internal.HtmlMarkdown.Converted;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of HTML. */
@Timeout(60)
class HtmlMarkdownTest {
    private static Converted convert(String html) {
        try {
            WebUrl url = WebUrl.of("https://docs.example.org/guide/start.html");
            return FetchWatch.run(watch -> HtmlMarkdown.convert(html, url, watch), Duration.ofSeconds(50));
        } catch (FetchException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String markdown(String html) {
        return convert(html).markdown();
    }

    @Test
    void eachElementHasItsMarkdown() {
        Map<String, String> cases = Map.ofEntries(
                Map.entry(
                        "<title>T</title><h1>One</h1><p>a</p><h3> Two <b>x</b></h3>b",
                        "Title: T\n\n# One\n\na\n\n### Two **x**\n\nb"),
                Map.entry("<p>a<b> b </b>c <em>d</em>, <b></b><i> </i>e</p>", "a **b** c *d*, e"),
                Map.entry("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
                Map.entry(
                        "<p>see <a href='../x?a=1#f'>the <code>x</code></a>.</p>",
                        "see [the `x`](https://docs.example.org/x?a=1#f)."),
                Map.entry(
                        "<a href='#top'>a</a> <a href='javascript:x()'>b</a> <a>c</a> <a href='/y z'>d</a>",
                        "a b c [d](https://docs.example.org/y%20z)"),
                Map.entry("<a href='//other.example.org/'>x</a>", "[x](https://other.example.org/)"),
                Map.entry("<a href='/x'><div>a</div><div>b</div></a>", "[a\n\nb](https://docs.example.org/x)"),
                Map.entry(
                        "<ul><li>a<li><p>b</p><ol start=3><li>c<li>d</ol><li></ul>e",
                        "- a\n\n- b\n\n  3. c\n  4. d\n\ne"),
                Map.entry(
                        "<blockquote>a<p>b</p><blockquote>c</blockquote></blockquote>d", "> a\n>\n> b\n>\n> > c\n\nd"),
                Map.entry("<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>", "a\n: b\nc\n: d"),
                Map.entry(
                        "<pre class=language-java>  a &lt;b&gt;\n\n    c\n</pre>d",
                        "```java\n  a <b>\n\n    c\n```\n\nd"),
                Map.entry("<pre><code class='hljs language-C++'>a<br>b</code></pre>", "```c++\na\nb\n```"),
                Map.entry("<pre>a ``` b</pre>", "````\na ``` b\n````"),
                Map.entry("<pre><div>a</div><div>b</div><b>c<pre>d</pre></b></pre>", "```\na\nb\ncd\n```"),
                Map.entry("<ul><li><pre>a\nb</pre></ul>", "- ```\n  a\n  b\n  ```"),
                Map.entry(
                        "<table><tr><th>a<th>b|c<tr><td>1<br>2<td><a href=/x>y</a></table>z",
                        "| a | b\\|c |\n|---|---|\n| 1 2 | [y](https://docs.example.org/x) |\n\nz"),
                Map.entry("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\n\n| b | c |\n|---|---|"),
                Map.entry("<table><tr><td>1<td><pre>a\nb</pre></table>", "1\n\n```\na\nb\n```"),
                Map.entry(
                        "<img src=a.png alt='A picture'><img src=b.png><img src='data:x' alt=c>",
                        "![A picture](https://docs.example.org/guide/a.png)"),
                Map.entry(
                        "<base href='https://cdn.example.org/d/'><a href=x>y</a>", "[y](https://cdn.example.org/d/x)"),
                Map.entry("<nav>menu</nav><main><p>text</p></main><footer>foot</footer>", "text"),
                Map.entry("<main> </main><p>text</p>", "text"),
                Map.entry("a&nbsp;&nbsp;b &lt;script&gt; &#x41; &auml;", "a b <script> A ä"),
                Map.entry("", ""));
        cases.forEach((html, expected) -> assertThat(markdown(html)).as(html).isEqualTo(expected));
    }

    @Test
    void whatAReaderDoesNotSeeIsLeftOut() {
        assertThat(markdown("<head><style>css</style></head><body>a<script>evil()</script><STYLE>x{}</STYLE>"
                        + "<noscript>n</noscript><template>t</template><!-- comment --><iframe>f</iframe><svg><text>s</text></svg>"
                        + "<button>b</button><select><option>o</select><textarea>t</textarea>"
                        + "<p hidden>h</p><p aria-hidden=true>h</p><p style='color:red; Display : NONE'>h</p>"
                        + "<p style=visibility:hidden>h</p><object>o</object><math>m</math>z"))
                .isEqualTo("az");
    }

    @Test
    void deepNestingEndsAndKeepsTheText() {
        for (String tag :
                new String[] {"div", "blockquote", "ul><li", "b", "span", "table><tr><td", "a href=/x", "font", "p"}) {
            String html = ("<" + tag + ">").repeat(10_000) + "text";
            String markdown = markdown(html);
            assertThat(markdown.contains("text")).as(tag).isTrue();
            assertThat(markdown.length()).as(tag).isLessThan(1_000_000);
        }
    }

    /** Each paragraph repeats what was not closed before. */
    @Test
    void aPageThatStandsForMillionsOfElementsIsCut() {
        String open = IntStream.range(0, 250).mapToObj(i -> "<b id=" + i + ">").collect(Collectors.joining());
        Converted converted = convert("<p>" + open + "<p>x".repeat(18_000));
        assertThat(converted.cut()).isTrue();
        assertThat(converted.markdown().length()).isLessThanOrEqualTo(MarkdownWriter.MOST);
    }

    @Test
    void aTextIsNotMuchLongerThanItsPage() {
        String quotes = "<blockquote>".repeat(400) + "a<br>".repeat(20_000);
        assertThat(markdown(quotes).length()).isLessThan(quotes.length() * 6);
        String base = "<base href='https://docs.example.org/" + "x".repeat(1_000_000) + "/'>";
        assertThat(markdown(base + "<a href=y>z</a>".repeat(5_000)).length()).isLessThan(500_000);
        String near = "<base href='https://docs.example.org/" + "x".repeat(900) + "/'>";
        Converted links = convert(near + "<a href=y>z</a>".repeat(5_000));
        assertThat(links.markdown().length()).isEqualTo(MarkdownWriter.MOST);
        assertThat(links.cut()).isTrue();
    }

    @Test
    void longRunsAndManyAttributesTakeNoTime() {
        String attributes = IntStream.range(0, 50_000).mapToObj(i -> " a" + i).collect(Collectors.joining());
        assertThat(markdown("<p" + attributes + ">text")).isEqualTo("text");
        assertThat(markdown("<pre>" + "`".repeat(200_000)).length()).isLessThan(200_100);
        assertThat(markdown("<p " + "style=".repeat(20_000) + "'" + "display ".repeat(20_000) + "'>text"))
                .isEqualTo("text");
        assertThat(markdown("&".repeat(100_000) + "<".repeat(100_000))).isNotEmpty();
    }
}
