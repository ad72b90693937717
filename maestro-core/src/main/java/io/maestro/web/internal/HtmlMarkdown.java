package io.maestro.web.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jsoup.parser.StreamParser;
import org.jsoup.select.NodeFilter;
import org.jsoup.select.NodeTraversor;
import org.jspecify.annotations.Nullable;

/**
 * Makes Markdown of HTML, whose parser is jsoup: the only class that knows it, with its helper {@link LayoutTables}, since it is optional. Without scripts, styles, forms
 * and what a reader does not see. Nothing here is recursive, and what is made is bounded, whatever the page is. For one thread.
 */
final class HtmlMarkdown implements NodeFilter {
    /** A page of some bytes can stand for many elements, as a parser repeats those that were not closed. */
    static final int MOST_ELEMENTS = 200_000;

    private static final int LONGEST_ALTERNATIVE = 200;

    private static final Set<String> LEFT_OUT = Set.of(("head script style noscript template svg math iframe object"
                    + " embed canvas audio video button input select textarea datalist frameset")
            .split(" ", -1));

    private static final Set<String> BLOCKS = Set.of(("p div section article aside header footer nav main figure"
                    + " figcaption address details summary fieldset form dl caption body center")
            .split(" ", -1));

    private static final Map<String, String> MARKS =
            Map.of("b", "**", "strong", "**", "i", "*", "em", "*", "del", "~~", "s", "~~");

    private static final Set<String> CODE = Set.of("code", "kbd", "samp", "tt");
    private static final Pattern HEADING = Pattern.compile("h[1-6]");
    private static final Pattern LANGUAGE =
            Pattern.compile("(?:^|\\s)(?:language|lang|highlight-source)-([A-Za-z0-9+#-]{1,20})");
    private static final Pattern INVISIBLE =
            Pattern.compile("(?:display\\s*:\\s*none|visibility\\s*:\\s*hidden)", Pattern.CASE_INSENSITIVE);

    static {
        readJsoup();
    }

    private final MarkdownWriter out = new MarkdownWriter();
    private final LayoutTables layout = new LayoutTables();
    private final Deque<Listing> lists = new ArrayDeque<>();
    private final Deque<Rows> tables = new ArrayDeque<>();
    private final Deque<Optional<String>> links = new ArrayDeque<>();
    private final PageLinks pageLinks;
    private final FetchWatch watch;
    private @Nullable Element preformatted;
    private final StringBuilder code = new StringBuilder();
    private String language = "";
    private int inlineCode;
    private boolean stopped;

    private HtmlMarkdown(PageLinks pageLinks, FetchWatch watch) {
        this.pageLinks = pageLinks;
        this.watch = watch;
    }

    /**
     * What has become of a page.
     *
     * @param markdown its text
     * @param cut whether it goes on, and was too long
     */
    record Converted(String markdown, boolean cut) {}

    /** A list that is open: the number of its next item; 0 where items have none. */
    private static final class Listing {
        private int next;
    }

    /** A table that is open. */
    private static final class Rows {
        private final boolean layout;
        private int rows;
        private int cells;

        Rows(boolean layout) {
            this.layout = layout;
        }
    }

    /** As a module, Maestro reads jsoup wherever it is: on the class path, or as a module. */
    private static void readJsoup() {
        try {
            Class<?> type = Class.forName("org.jsoup.nodes.Node", false, PageFetcher.class.getClassLoader());
            PageFetcher.class.getModule().addReads(type.getModule());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("add org.jsoup:jsoup to what the program runs on", e);
        }
    }

    /** Converts a page; links are written as they are seen from its URL. */
    static Converted convert(String html, WebUrl url, FetchWatch watch) {
        HtmlMarkdown conversion = new HtmlMarkdown(new PageLinks(url), watch);
        try (StreamParser parser = new StreamParser(Parser.htmlParser())) {
            parser.parse(html, "");
            int count = 0;
            for (Iterator<Element> elements = parser.iterator();
                    !conversion.stopped && elements.hasNext();
                    elements.next()) {
                conversion.stopped = ++count >= MOST_ELEMENTS || watch.isOver();
            }
            parser.stop();
            return conversion.converted(parser.document());
        }
    }

    private Converted converted(Document document) {
        Element named = document.selectFirst("base[href]");
        if (named != null) {
            pageLinks.base(named.attr("href"));
        }
        NodeTraversor.filter(layout, document);
        String title = document.title();
        if (!title.isBlank()) {
            out.text("Title: " + title);
            out.block();
        }
        Element main = document.selectFirst("main, [role=main]");
        Element body = document.body();
        NodeTraversor.filter(this, main != null && main.hasText() ? main : body != null ? body : document);
        return new Converted(out.result(), stopped || out.isFull());
    }

    @Override
    public FilterResult head(Node node, int depth) {
        if (out.isFull() || watch.isOver()) {
            return FilterResult.STOP;
        }
        if (node instanceof TextNode text) {
            if (preformatted != null) {
                code.append(text.getWholeText());
            } else {
                out.text(text.getWholeText());
            }
        } else if (node instanceof Element element) {
            if (LEFT_OUT.contains(element.normalName()) || isHidden(element)) {
                return FilterResult.SKIP_ENTIRELY;
            }
            if (preformatted != null) {
                breakCode(element.normalName());
            } else {
                begin(element, element.normalName());
            }
        }
        return FilterResult.CONTINUE;
    }

    @Override
    public FilterResult tail(Node node, int depth) {
        if (node instanceof Element element) {
            String name = element.normalName();
            if (preformatted == null) {
                end(name);
            } else if (element.equals(preformatted)) {
                preformatted = null;
                out.code(code.toString(), language);
                code.setLength(0);
            } else if (!name.equals("br")) {
                breakCode(name);
            }
        }
        return FilterResult.CONTINUE;
    }

    private static boolean isHidden(Element element) {
        String style = element.attr("style");
        return element.hasAttr("hidden")
                || element.attr("aria-hidden").equals("true")
                || !style.isEmpty() && INVISIBLE.matcher(style).find();
    }

    /** In code only the ends of lines count. */
    private void breakCode(String name) {
        boolean begun = code.length() > 0 && code.charAt(code.length() - 1) != '\n';
        if (name.equals("br") || BLOCKS.contains(name) && begun) {
            code.append('\n');
        }
    }

    private void begin(Element element, String name) {
        if (HEADING.matcher(name).matches()) {
            out.block();
            out.indent("#".repeat(name.charAt(1) - '0') + " ", "");
        } else if (BLOCKS.contains(name)) {
            out.block();
        } else if (MARKS.containsKey(name)) {
            out.open(MARKS.get(name));
        } else if (CODE.contains(name)) {
            if (inlineCode++ == 0) {
                out.open("`");
            }
        } else {
            beginOther(element, name);
        }
    }

    private void beginOther(Element element, String name) {
        switch (name) {
            case "br" -> out.line();
            case "hr" -> {
                out.block();
                out.text("---");
                out.block();
            }
            case "pre" -> {
                preformatted = element;
                language = language(element);
            }
            case "a" -> {
                links.push(pageLinks.resolved(element.attr("href")));
                out.open(links.element().isPresent() ? "[" : "");
            }
            case "img" -> image(element);
            case "ul", "ol", "menu" -> beginList(element, name.equals("ol"));
            case "li" -> {
                out.line();
                Listing list = lists.peek();
                String marker = list == null || list.next == 0 ? "- " : list.next++ + ". ";
                out.indent(marker, " ".repeat(marker.length()));
            }
            case "blockquote" -> {
                out.block();
                out.indent("> ", "> ");
            }
            case "dt" -> out.line();
            case "dd" -> {
                out.line();
                out.indent(": ", "  ");
            }
            case "table" -> {
                out.block();
                tables.push(new Rows(layout.contains(element) || !tables.isEmpty() && !tables.peek().layout));
            }
            case "tr" -> beginRow();
            case "td", "th" -> beginCell();
            default -> {
                // Its text counts.
            }
        }
    }

    private void end(String name) {
        if (HEADING.matcher(name).matches()) {
            out.outdent();
            out.block();
        } else if (BLOCKS.contains(name)) {
            out.block();
        } else if (MARKS.containsKey(name)) {
            out.close(MARKS.get(name));
        } else if (CODE.contains(name)) {
            if (--inlineCode == 0) {
                out.close("`");
            }
        } else {
            endOther(name);
        }
    }

    private void endOther(String name) {
        switch (name) {
            case "a" -> out.close(links.pop().map(url -> "](" + url + ")").orElse(""));
            case "ul", "ol", "menu" -> {
                lists.pop();
                breakAfterList();
            }
            case "li", "dd" -> {
                out.outdent();
                out.line();
            }
            case "blockquote" -> {
                out.outdent();
                out.block();
            }
            case "table" -> {
                tables.pop();
                out.block();
            }
            case "tr" -> endRow();
            case "td", "th" -> endCell();
            default -> {
                // Nothing was begun.
            }
        }
    }

    private void beginList(Element element, boolean numbered) {
        breakAfterList();
        Listing list = new Listing();
        String start = element.attr("start");
        list.next = !numbered ? 0 : start.matches("[1-9][0-9]{0,6}") ? Integer.parseInt(start) : 1;
        lists.push(list);
    }

    private void breakAfterList() {
        if (lists.isEmpty()) {
            out.block();
        } else {
            out.line();
        }
    }

    private void beginRow() {
        Rows table = tables.peek();
        if (table == null || table.layout) {
            out.block();
        } else {
            table.cells = 0;
            out.beginRow();
        }
    }

    private void endRow() {
        Rows table = tables.peek();
        if (table != null && !table.layout && table.rows++ == 0) {
            out.headOf(Math.min(table.cells, 100));
        }
    }

    private void beginCell() {
        Rows table = tables.peek();
        if (table == null || table.layout) {
            out.block();
        } else {
            table.cells++;
            out.beginCell();
        }
    }

    private void endCell() {
        Rows table = tables.peek();
        if (table == null || table.layout) {
            out.block();
        } else {
            out.endCell();
        }
    }

    private void image(Element element) {
        String alternative = element.attr("alt").strip();
        pageLinks
                .resolved(element.attr("src"))
                .filter(url -> !alternative.isEmpty() && alternative.length() <= LONGEST_ALTERNATIVE)
                .ifPresent(url -> out.text("![" + alternative + "](" + url + ")"));
    }

    private static String language(Element pre) {
        Element child = pre.firstElementChild();
        Matcher matcher = LANGUAGE.matcher(pre.className() + " " + (child == null ? "" : child.className()));
        return matcher.find() ? matcher.group(1).toLowerCase(Locale.ROOT) : "";
    }
}
