package io.maestro.docker.internal.sandbox.devcontainer;

import io.maestro.docker.internal.sandbox.devcontainer.DevContainer.Workspace;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Replaces the variables of a {@code devcontainer.json}. Text of the form <code>${…}</code> that is none of them is left as it
 * is: in a command it is the shell's.
 */
final class DevContainerVariables {
    private final Workspace workspace;

    DevContainerVariables(Workspace workspace) {
        this.workspace = workspace;
    }

    /** A variable that has no value here; the message says why, and does not repeat what stands around it. */
    static final class RefusedVariableException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        RefusedVariableException(String message) {
            super(message);
        }
    }

    /**
     * Replaces what is known before there is a container.
     *
     * @param text what stands in the file
     * @param keepsContainerEnv whether <code>${containerEnv:X}</code> stays for {@link #ofContainer}; otherwise it is refused
     * @throws RefusedVariableException when it asks for a value of the host, or for one that there is not
     */
    String replace(String text, boolean keepsContainerEnv) {
        return eachOf(text, variable -> value(variable, keepsContainerEnv));
    }

    /**
     * Replaces <code>${containerEnv:X}</code> and <code>${containerEnv:X:default}</code>. Values are not looked through again.
     *
     * @param text from {@link #replace}
     * @param environment the variables of the container; one that is not set is empty where no default is given
     */
    static String ofContainer(String text, Map<String, String> environment) {
        return eachOf(text, variable -> {
            String[] parts = parts(variable);
            return parts[0].equals("containerEnv") && parts.length > 1
                    ? environment.getOrDefault(parts[1], parts.length > 2 ? parts[2] : "")
                    : variable;
        });
    }

    private static String eachOf(String text, UnaryOperator<String> replacement) {
        StringBuilder result = new StringBuilder();
        int from = 0;
        int start = text.indexOf("${");
        while (start >= 0) {
            int end = text.indexOf('}', start);
            if (end < 0) {
                break;
            }
            result.append(text, from, start).append(replacement.apply(text.substring(start, end + 1)));
            from = end + 1;
            start = text.indexOf("${", from);
        }
        return result.append(text, from, text.length()).toString();
    }

    /** The kind, a name, and a default, which may hold colons. */
    private static String[] parts(String variable) {
        return variable.substring(2, variable.length() - 1).split(":", 3);
    }

    private String value(String variable, boolean keepsContainerEnv) {
        String[] parts = parts(variable);
        return switch (parts[0]) {
            case "containerWorkspaceFolder" -> workspace.folder();
            case "containerWorkspaceFolderBasename" ->
                workspace.folder().substring(workspace.folder().lastIndexOf('/') + 1);
            case "localWorkspaceFolderBasename" -> workspace.repository();
            case "localEnv", "env" -> {
                if (parts.length < 3) {
                    throw new RefusedVariableException(
                            "asks for a variable of the host, and none is handed over; give a default,"
                                    + " as in ${localEnv:NAME:default}");
                }
                yield parts[2];
            }
            case "containerEnv" -> {
                if (!keepsContainerEnv || parts.length < 2) {
                    throw new RefusedVariableException(
                            "uses ${containerEnv:…}, which is known in values of remoteEnv only, with a"
                                    + " name; in a shell line write $NAME");
                }
                yield variable;
            }
            case "localWorkspaceFolder", "localHomeFolder" ->
                throw new RefusedVariableException("asks for a path of the host; use ${containerWorkspaceFolder}");
            case "devcontainerId" ->
                throw new RefusedVariableException("asks for ${devcontainerId}, and there is none");
            default -> variable;
        };
    }
}
