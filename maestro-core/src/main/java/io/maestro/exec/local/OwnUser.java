package io.maestro.exec.local;

import io.maestro.exec.ExecException;
import io.maestro.exec.ExecRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Commands on this machine run as the user of the host program; nobody else can be asked for. */
final class OwnUser {
    private OwnUser() {}

    /**
     * Refuses a request for another user.
     *
     * @throws ExecException when it is one
     */
    static void require(ExecRequest request) {
        request.user().ifPresent(user -> {
            if (!user.equals(System.getProperty("user.name")) && !user.equals(id())) {
                throw new ExecException(
                        "cannot run '" + request.command().get(0) + "' as '" + user
                                + "': on this machine commands run as '"
                                + System.getProperty("user.name")
                                + "', the user of this program; leave the user out, or"
                                + " run the command in a container",
                        null);
            }
        });
    }

    private static String id() {
        try {
            return String.valueOf(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return ""; // this system does not tell
        }
    }
}
