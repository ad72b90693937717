package io.maestro.story.internal;

import io.maestro.tools.ToolArguments;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What no schema can say of the stories that an architect has written: one line for each fault, for the model. */
public final class StoryFaults {
    private final List<StoryDraft> drafts;
    /** The first story of each sound title, by its place. */
    private final Map<String, Integer> places = new LinkedHashMap<>();

    private final List<String> faults = new ArrayList<>();

    private StoryFaults(List<StoryDraft> drafts) {
        this.drafts = drafts;
    }

    public static List<String> ofSubmission(ToolArguments arguments) {
        StoryFaults check = new StoryFaults(StoryDraft.submitted(arguments));
        if (check.drafts.isEmpty()) {
            check.faults.add("$." + StoryDraft.REQUIREMENTS + ": must have at least 1 story");
        }
        for (int i = 0; i < check.drafts.size(); i++) {
            check.checkTitle(i);
            check.faults.addAll(texts(path(i), check.drafts.get(i)));
        }
        for (int i = 0; i < check.drafts.size(); i++) {
            check.checkDependencies(i);
        }
        check.checkCycles();
        return check.faults;
    }

    public static List<String> ofEdit(ToolArguments arguments) {
        StoryDraft draft = StoryDraft.of(arguments);
        List<String> faults = new ArrayList<>();
        // An empty one is left out; a blank one is none that was meant.
        String title = arguments.optionalString(StoryDraft.TITLE).orElse("");
        if (!title.isEmpty()) {
            faults.addAll(title("$", draft.title()));
        }
        faults.addAll(texts("$", draft));
        return faults;
    }

    private static String path(int place) {
        return "$." + StoryDraft.REQUIREMENTS + '[' + place + ']';
    }

    private static List<String> title(String path, String title) {
        if (title.isEmpty()) {
            return List.of(path + "." + StoryDraft.TITLE + ": must not be blank");
        }
        return title.chars().anyMatch(Character::isISOControl)
                ? List.of(path + "." + StoryDraft.TITLE + ": must be one line without control characters")
                : List.of();
    }

    private static List<String> texts(String path, StoryDraft draft) {
        List<String> faults = new ArrayList<>();
        if (draft.description().isEmpty()) {
            faults.add(path + "." + StoryDraft.DESCRIPTION + ": must not be blank");
        }
        if (draft.criteria().isEmpty()) {
            faults.add(path + "." + StoryDraft.CRITERIA + ": must have at least 1 item");
        }
        for (int i = 0; i < draft.criteria().size(); i++) {
            if (draft.criteria().get(i).isEmpty()) {
                faults.add(path + "." + StoryDraft.CRITERIA + '[' + i + "]: must not be blank");
            }
        }
        return faults;
    }

    private void checkTitle(int place) {
        String title = drafts.get(place).title();
        List<String> wrong = title(path(place), title);
        faults.addAll(wrong);
        Integer first = wrong.isEmpty() ? places.putIfAbsent(title, place) : null;
        if (first != null) {
            faults.add(path(place) + "." + StoryDraft.TITLE + ": '" + title + "' is the title of " + path(first)
                    + " already; each story needs one of its own");
        }
    }

    private void checkDependencies(int place) {
        StoryDraft draft = drafts.get(place);
        for (String dependency : draft.dependencies()) {
            String path = path(place) + "." + StoryDraft.DEPENDENCIES;
            if (dependency.equals(draft.title()) && places.containsKey(dependency)) {
                faults.add(path + ": '" + dependency + "' cannot depend on itself");
            } else if (!places.containsKey(dependency)) {
                faults.add(path + ": no story of this call has the title '" + dependency.replaceAll("\\R", " ")
                        + "'; there are "
                        + places.keySet().stream()
                                .map(title -> '\'' + title + '\'')
                                .toList());
            }
        }
    }

    private void checkCycles() {
        Set<String> done = new HashSet<>();
        places.forEach((title, place) -> follow(title, place, new LinkedHashSet<>(), done));
    }

    /** Goes along the dependencies; who comes back to a story that it is on its way from has found a circle. */
    private void follow(String title, int place, Set<String> way, Set<String> done) {
        if (done.contains(title)) {
            return;
        }
        way.add(title);
        for (String next : drafts.get(place).dependencies()) {
            Integer nextPlace = places.get(next);
            if (nextPlace == null || next.equals(title)) {
                // Told already.
                continue;
            }
            if (way.contains(next)) {
                faults.add("$." + StoryDraft.REQUIREMENTS + ": the dependencies go in a circle: " + circle(way, next));
            } else {
                follow(next, nextPlace, way, done);
            }
        }
        way.remove(title);
        done.add(title);
    }

    private static String circle(Set<String> way, String closing) {
        return Stream.concat(way.stream().dropWhile(step -> !step.equals(closing)), Stream.of(closing))
                .map(step -> '\'' + step + '\'')
                .collect(Collectors.joining(" -> "));
    }
}
