package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.egress.EgressRules;
import io.maestro.error.MaestroException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** An object of the settings, read strictly: what nobody has asked for is an error. Errors say where it stands. */
final class Section {
    private final String path;
    private final Map<?, ?> values;
    private final Set<String> asked = new HashSet<>();

    Section(String path, Map<?, ?> values) {
        this.path = path;
        this.values = values;
    }

    Optional<String> text(String name) {
        Optional<String> text = Optional.ofNullable(value(name, String.class, "a text"));
        if (text.isPresent() && text.get().isBlank()) {
            throw wrong(name, "must not be blank");
        }
        return text;
    }

    /** One of a few words. */
    String choice(String name, String fallback, String... others) {
        String chosen = text(name).orElse(fallback);
        List<String> choices = new ArrayList<>(List.of(others));
        choices.add(0, fallback);
        if (!choices.contains(chosen)) {
            throw wrong(name, "must be one of " + choices + ", is '" + chosen + "'");
        }
        return chosen;
    }

    /** Names that may be reached: a list, or an object with {@code allow} and {@code mirrors}; empty when it is neither. */
    Optional<EgressRules> egress(String name) {
        Object value = values.get(name);
        if (!(value instanceof List<?> || value instanceof Map<?, ?>)) {
            return Optional.empty();
        }
        asked.add(name);
        try {
            if (value instanceof List<?>) {
                return Optional.of(EgressRules.of(texts(name), List.of()));
            }
            Section section = section(name);
            EgressRules rules = EgressRules.of(section.texts("allow"), section.texts("mirrors"));
            section.end();
            return Optional.of(rules);
        } catch (IllegalArgumentException e) {
            throw wrong(name, "is wrong: " + e.getMessage());
        }
    }

    boolean has(String name) {
        return values.get(name) != null;
    }

    boolean flag(String name, boolean fallback) {
        Boolean flag = value(name, Boolean.class, "true or false");
        return flag == null ? fallback : flag;
    }

    OptionalLong whole(String name, long least, long most) {
        Number number = value(name, Number.class, "a number");
        if (number == null) {
            return OptionalLong.empty();
        }
        if (number.doubleValue() != Math.rint(number.doubleValue())
                || number.doubleValue() < least
                || number.doubleValue() > most) {
            throw wrong(name, "must be a whole number from " + least + " to " + most + ", is " + number);
        }
        return OptionalLong.of(number.longValue());
    }

    OptionalDouble number(String name, double moreThan, double most) {
        Number number = value(name, Number.class, "a number");
        if (number == null) {
            return OptionalDouble.empty();
        }
        if (!(number.doubleValue() > moreThan && number.doubleValue() <= most)) {
            throw wrong(name, "must be more than " + moreThan + " and at most " + most + ", is " + number);
        }
        return OptionalDouble.of(number.doubleValue());
    }

    /** Empty when it is not there. */
    Section section(String name) {
        Map<?, ?> map = value(name, Map.class, "an object");
        return new Section(path + "." + name, map == null ? Map.of() : map);
    }

    List<String> texts(String name) {
        List<?> list = value(name, List.class, "a list");
        List<String> texts = new ArrayList<>();
        for (Object item : list == null ? List.of() : list) {
            if (!(item instanceof String text)) {
                throw new MaestroException(path + "." + name + "[" + texts.size() + "] must be a text, is " + item);
            }
            texts.add(text);
        }
        return List.copyOf(texts);
    }

    /** Texts by names of a form. */
    Map<String, String> textsByName(String name, int most, String form) {
        Map<?, ?> map = value(name, Map.class, "an object");
        Map<String, String> texts = new LinkedHashMap<>();
        (map == null ? Map.of() : map).forEach((key, text) -> {
            String word = String.valueOf(key);
            if (!word.matches(form)) {
                throw wrong(name, "must have names of the form " + form + ", has '" + word + "'");
            }
            if (!(text instanceof String value)) {
                throw wrong(name, "must have a text for " + word);
            }
            texts.put(word, value);
        });
        if (texts.size() > most) {
            throw wrong(name, "must have at most " + most + " names, has " + texts.size());
        }
        return texts;
    }

    List<Integer> wholes(String name, int least, int most) {
        List<?> list = value(name, List.class, "a list");
        List<Integer> wholes = new ArrayList<>();
        for (Object item : list == null ? List.of() : list) {
            if (!(item instanceof Number number)
                    || number.doubleValue() != Math.rint(number.doubleValue())
                    || number.doubleValue() < least
                    || number.doubleValue() > most) {
                throw wrong(name, "must have whole numbers from " + least + " to " + most + ", has " + item);
            }
            wholes.add(number.intValue());
        }
        return wholes;
    }

    List<Section> sections(String name) {
        List<?> list = value(name, List.class, "a list");
        List<Section> sections = new ArrayList<>();
        for (Object item : list == null ? List.of() : list) {
            String where = path + "." + name + "[" + sections.size() + "]";
            if (!(item instanceof Map<?, ?> map)) {
                throw new MaestroException(where + " must be an object, is " + item);
            }
            sections.add(new Section(where, map));
        }
        return sections;
    }

    /** Fails when there is more than was asked for: a setting that nothing reads must not be taken. */
    void end() {
        Set<String> unknown = new TreeSet<>();
        values.keySet().forEach(name -> unknown.add(String.valueOf(name)));
        unknown.removeAll(asked);
        if (!unknown.isEmpty()) {
            throw new MaestroException(path + " has no setting " + unknown + "; it has " + new TreeSet<>(asked));
        }
    }

    MaestroException wrong(String name, String what) {
        return new MaestroException(path + "." + name + " " + what);
    }

    private <T> @Nullable T value(String name, Class<T> type, String expected) {
        asked.add(name);
        Object value = values.get(name);
        if (value != null && !type.isInstance(value)) {
            throw wrong(name, "must be " + expected + ", is " + value);
        }
        return type.cast(value);
    }
}
