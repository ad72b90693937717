package io.maestro.command;

import io.maestro.error.MaestroException;
import io.maestro.tools.Property;
import io.maestro.tools.ToolArguments;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A command with places for arguments. The one place where what a model gives becomes a part of a command. Immutable. */
final class CommandTemplate {
    /** A whole argument, or what stands behind the first {@code =} of one. */
    private static final Pattern PLACE = Pattern.compile("([^\\s{}=]+=)?\\{([A-Za-z_][A-Za-z0-9_]*)}");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");
    private static final Set<String> TYPES = Set.of("string", "integer", "number", "boolean");
    private static final int MOST_PARTS = 1_000;

    /** Of one argument; Linux refuses 128 KiB. */
    private static final int LONGEST = 32 * 1024;

    /** Of all arguments together, in characters; systems refuse a few hundred KiB. */
    private static final int MOST_CHARACTERS = 100_000;

    private final List<TemplatePart> parts;

    private CommandTemplate(List<TemplatePart> parts) {
        this.parts = List.copyOf(parts);
    }

    /**
     * One argument of the command.
     *
     * @param text all of it, or what stands before the place
     * @param argument whose place it is; null for none
     * @param mayBeginWithDash whether a value cannot become an option, or is one that the host has listed
     * @param whole whether digits of a number are written without a fraction
     */
    private record TemplatePart(String text, @Nullable String argument, boolean mayBeginWithDash, boolean whole) {}

    /** A value that cannot be an argument; the message is for the model. */
    static final class UnfitArgumentException extends MaestroException {
        private static final long serialVersionUID = 1L;

        UnfitArgumentException(String message) {
            super(message);
        }
    }

    /**
     * Reads a command.
     *
     * @param command the program and its arguments
     * @param arguments their schemas
     * @param optional those that may be missing
     * @throws IllegalArgumentException when they do not fit together
     */
    static CommandTemplate of(List<String> command, Map<String, Property> arguments, Set<String> optional) {
        if (command.isEmpty()
                || command.get(0).isBlank()
                || PLACE.matcher(command.get(0)).matches()) {
            throw new IllegalArgumentException(
                    "the command must begin with a program, which no argument can be; it is " + command);
        }
        if (command.size() > MOST_PARTS) {
            throw new IllegalArgumentException(
                    "the command has " + command.size() + " arguments, more than " + MOST_PARTS);
        }
        arguments.forEach(CommandTemplate::check);
        List<TemplatePart> parts = new ArrayList<>();
        Set<String> unused = new HashSet<>(arguments.keySet());
        boolean operands = false;
        for (int i = 0; i < command.size(); i++) {
            String text = command.get(i);
            Matcher place = PLACE.matcher(text);
            if (!place.matches()) {
                refuseHidden(text, arguments.keySet());
                parts.add(new TemplatePart(text, null, true, false));
                operands |= text.equals("--");
                continue;
            }
            String name = place.group(2);
            Property property = arguments.get(name);
            if (property == null) {
                throw new IllegalArgumentException("there is no argument '" + name + "' for the place '" + text
                        + "'; declared are " + arguments.keySet());
            }
            unused.remove(name);
            String before = place.group(1);
            Map<String, Object> schema = property.asMap();
            if (before != null && isList(schema)) {
                throw new IllegalArgumentException("the list '" + name + "' has its place in '" + text
                        + "', where one value is put; give it a whole argument, as in {" + name + "}");
            }
            if (before == null && optional.contains(name) && isOption(command.get(i - 1))) {
                throw new IllegalArgumentException("'" + command.get(i - 1) + "' would stay without a value when '"
                        + name + "' is left out; write both as one, as in " + command.get(i - 1) + "={" + name + "}");
            }
            parts.add(new TemplatePart(
                    before == null ? "" : before,
                    name,
                    before != null || operands || scalar(schema).containsKey("enum"),
                    "integer".equals(scalar(schema).get("type"))));
        }
        if (!unused.isEmpty()) {
            throw new IllegalArgumentException(
                    "the arguments " + unused + " have no place in the command; write each as {name} where it belongs");
        }
        return new CommandTemplate(parts);
    }

    private static void check(String name, Property property) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of the argument '" + name + "' is not 1 to 64 letters, digits and '_', no digit first");
        }
        if (!TYPES.contains(String.valueOf(scalar(property.asMap()).get("type")))) {
            throw new IllegalArgumentException("the argument '" + name + "' must have a type of " + TYPES
                    + ", or be an array whose items have one; its schema is " + property.asMap());
        }
    }

    private static boolean isList(Map<String, Object> schema) {
        return "array".equals(schema.get("type"));
    }

    /** The schema of a value, or of each item of a list. */
    private static Map<?, ?> scalar(Map<String, Object> schema) {
        return isList(schema) && schema.get("items") instanceof Map<?, ?> items ? items : schema;
    }

    private static boolean isOption(String text) {
        return text.startsWith("-") && !text.equals("--") && text.indexOf('=') < 0;
    }

    /** A place in the middle of a text would be a part of what a shell or another program reads as a language. */
    private static void refuseHidden(String text, Set<String> names) {
        for (String name : names) {
            if (text.contains("{" + name + "}")) {
                throw new IllegalArgumentException(
                        "the place of '" + name + "' must be a whole argument, or all that stands"
                                + " behind the first '=' of one; it is '" + text + "'");
            }
        }
    }

    /**
     * The command with the values of a call.
     *
     * @param arguments valid against the schemas
     * @throws UnfitArgumentException when a value cannot be given as an argument
     */
    List<String> fill(ToolArguments arguments) {
        List<String> filled = new ArrayList<>();
        int characters = 0;
        for (TemplatePart part : parts) {
            if (part.argument == null) {
                filled.add(part.text);
                continue;
            }
            Object value = arguments.asMap().get(part.argument);
            if (value == null) {
                continue;
            }
            for (Object one : value instanceof List<?> list ? list : List.of(value)) {
                String text = text(part, one);
                characters += text.length();
                filled.add(part.text + text);
            }
        }
        if (characters > MOST_CHARACTERS || filled.size() > MOST_PARTS) {
            throw new UnfitArgumentException("the arguments have " + characters + " characters in " + filled.size()
                    + " parts, more than a command takes (" + MOST_CHARACTERS + " in " + MOST_PARTS + ")");
        }
        return filled;
    }

    private static String text(TemplatePart part, Object value) {
        String text = value instanceof Number number ? digits(part, number) : String.valueOf(value);
        if (text.indexOf('\0') >= 0 || text.length() > LONGEST) {
            throw new UnfitArgumentException(
                    "'" + part.argument + "' holds a NUL character, or more than " + LONGEST + " characters");
        }
        if (text.startsWith("-") && !part.mayBeginWithDash) {
            throw new UnfitArgumentException(
                    "'" + part.argument + "' begins with '-', so that the command would read it as an"
                            + " option; give a value that does not, such as ./" + (text.length() > 40 ? "…" : text)
                            + " for a file");
        }
        return text;
    }

    private static String digits(TemplatePart part, Number number) {
        BigDecimal value = new BigDecimal(number.toString());
        if (value.precision() > 100 || Math.abs(value.scale()) > 100) {
            throw new UnfitArgumentException("'" + part.argument + "' has more than 100 digits");
        }
        return part.whole ? value.toBigInteger().toString() : value.toPlainString();
    }

    /** As it was given. */
    @Override
    public String toString() {
        List<String> all = new ArrayList<>();
        parts.forEach(part -> all.add(part.argument == null ? part.text : part.text + "{" + part.argument + "}"));
        return String.join(" ", all);
    }
}
