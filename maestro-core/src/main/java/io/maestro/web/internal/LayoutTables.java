package io.maestro.web.internal;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.select.NodeFilter;

/** Finds the tables of a page that hold tables, code or headings: they are no data, but lay the page out. For one thread. */
final class LayoutTables implements NodeFilter {
    private static final Pattern NO_DATA = Pattern.compile("table|pre|h[1-6]");

    private final Set<Element> found = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Element> open = new ArrayDeque<>();

    boolean contains(Element table) {
        return found.contains(table);
    }

    @Override
    public FilterResult head(Node node, int depth) {
        if (node instanceof Element element) {
            if (!open.isEmpty() && NO_DATA.matcher(element.normalName()).matches()) {
                found.add(open.element());
            }
            if (element.normalName().equals("table")) {
                open.push(element);
            }
        }
        return FilterResult.CONTINUE;
    }

    @Override
    public FilterResult tail(Node node, int depth) {
        if (node instanceof Element element && element.normalName().equals("table")) {
            open.pop();
        }
        return FilterResult.CONTINUE;
    }
}
