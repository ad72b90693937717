package io.maestro.secrets.internal;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Tells the variables of the environment that hold secrets by their names, which are those of {@link SecretKind}. All of a
 * variable is its value, so that fewer names are excepted than in a text.
 */
public final class SecretVariable {
    /** Not {@link SecretKind#VENDOR}: such a name may end in much. */
    private static final List<SecretKind> KINDS =
            List.of(SecretKind.PASSWORD, SecretKind.SECRET, SecretKind.TOKEN, SecretKind.KEY);

    /** Directories, and the name of a desktop. */
    private static final Set<String> NONE = Set.of("PWD", "OLDPWD", "DESKTOP_SESSION");

    private SecretVariable() {}

    /**
     * Whether a variable holds a secret.
     *
     * @param name the variable's name
     * @param value its value; not empty
     */
    public static boolean is(String name, String value) {
        return !NONE.contains(name.toUpperCase(Locale.ROOT))
                && KINDS.stream().anyMatch(kind -> kind.isNameOfVariable(name) && kind.isValueOfVariable(value));
    }
}
