package io.maestro.report.internal;

import io.maestro.record.AuditLog.StoryRecord;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Draws which story waits for which: a column for each step away from those that wait for nobody. */
final class StoryGraph {
    private static final int WIDTH = 170;
    private static final int HEIGHT = 40;
    private static final int GAP = 60;
    private static final int ROW = HEIGHT + 14;
    private static final int LONGEST = 24;

    private final Map<String, StoryRecord> stories = new LinkedHashMap<>();
    private final Map<String, Integer> columns = new HashMap<>();

    StoryGraph(List<StoryRecord> all) {
        all.forEach(story -> stories.put(story.id(), story));
        all.forEach(story -> columns.put(story.id(), column(story, stories.size())));
    }

    /** A circle, which the record should not have, is not followed without end. */
    private int column(StoryRecord story, int deepest) {
        Integer known = columns.get(story.id());
        if (known != null || deepest == 0) {
            return known == null ? 0 : known;
        }
        int column = story.dependsOn().stream()
                .flatMap(id -> Optional.ofNullable(stories.get(id)).stream())
                .mapToInt(before -> column(before, deepest - 1) + 1)
                .max()
                .orElse(0);
        columns.put(story.id(), column);
        return column;
    }

    /** Nothing where nobody waits for anybody. */
    void write(Html html) throws IOException {
        if (stories.values().stream().allMatch(story -> story.dependsOn().isEmpty())) {
            return;
        }
        Map<Integer, Integer> rows = new HashMap<>();
        Map<String, int[]> places = new LinkedHashMap<>();
        for (String id : stories.keySet()) {
            int column = columns.getOrDefault(id, 0);
            int row = rows.merge(column, 1, Integer::sum) - 1;
            places.put(id, new int[] {column * (WIDTH + GAP), row * ROW});
        }
        int width = places.values().stream().mapToInt(at -> at[0] + WIDTH).max().orElse(0);
        int height =
                places.values().stream().mapToInt(at -> at[1] + HEIGHT).max().orElse(0);
        html.raw(
                "<h3>Which story waits for which</h3><div class=wide><svg class=graph role=img aria-label=\"Dependencies of the stories\""
                        + " viewBox=\"-2 -2 " + (width + 4) + " " + (height + 4) + "\" width=" + (width + 4)
                        + " height="
                        + (height + 4) + ">");
        for (StoryRecord story : stories.values()) {
            int[] to = places.get(story.id());
            for (String id : story.dependsOn()) {
                int[] from = places.get(id);
                if (from != null && to != null) {
                    int x1 = from[0] + WIDTH;
                    int y1 = from[1] + HEIGHT / 2;
                    int y2 = to[1] + HEIGHT / 2;
                    int middle = (x1 + to[0]) / 2;
                    html.raw("<path class=edge d=\"M" + x1 + " " + y1 + " C" + middle + " " + y1 + " " + middle + " "
                            + y2 + " " + to[0] + " " + y2 + "\"/>");
                }
            }
        }
        for (StoryRecord story : stories.values()) {
            int[] at = Objects.requireNonNull(places.get(story.id()));
            String title = story.title().length() <= LONGEST
                    ? story.title()
                    : story.title().substring(0, LONGEST - 1) + "…";
            html.raw("<a" + Html.attribute("href", "#" + HtmlReport.anchor(story.id())) + "><rect"
                            + Html.attribute("class", "node " + story.state()) + " rx=6 x=" + at[0] + " y=" + at[1]
                            + " width=" + WIDTH + " height=" + HEIGHT + "></rect><text x=" + (at[0] + 8) + " y="
                            + (at[1] + 17) + ">")
                    .text(title)
                    .raw("</text><text x=" + (at[0] + 8) + " y=" + (at[1] + 32) + ">")
                    .text(story.state().name())
                    .raw("</text></a>");
        }
        html.raw("</svg></div>");
    }
}
