package io.maestro.docker.internal.environment;

import io.maestro.docker.internal.Engine;
import io.maestro.docker.internal.Labels;
import io.maestro.exec.ExecResult;
import java.util.ArrayList;
import java.util.List;

/** Gives volumes to the user of containers, by a container that may do nothing but this. */
final class VolumeOwner {
    /** Where that container has it. */
    private static final String OWNING = "/state";

    /**
     * A new volume is root's, who gives it away in the last step: where that is done, all is. A file keeps engines from filling
     * the volume, as they do an empty one, with what an image has in its place.
     */
    private static final String OWN = """
            if [ "$3" != 0 ]; then
                size=$(timeout 20 du -sk /state 2>/dev/null)
                size=${size%%[!0-9]*}
                [ "${size:-0}" -le "$3" ] || exit 77
            fi
            [ "$1" != 0:0 ] && [ "$(stat -c %u:%g /state)" = "$1" ] && exit 0
            [ -e /state/.maestro ] || [ -L /state/.maestro ] || : > /state/.maestro || exit
            chmod "$2" /state && chown "$1" /state
            """;

    private static final int TOO_LARGE = 77;

    private VolumeOwner() {}

    /** Gives it away, however much it holds. */
    static void give(Engine engine, String agentId, String role, String volume, String user, String image) {
        giveIfAtMost(0, engine, agentId, role, volume, user, image);
    }

    /**
     * Gives it away, unless that is done, or it holds too much.
     *
     * @param kibibytes how much it may hold; 0 for any; what takes more than 20 seconds to count is not counted
     * @param role of the container
     * @param user as whom commands run
     * @param image the id of an image with {@code sh}, {@code stat} and {@code chown}, and for a limit {@code timeout} and {@code du};
     *     it is trusted, as its programs run as root, who for a limit reads whatever the volume's disk has
     * @return whether it is done; false for one that holds too much
     */
    static boolean giveIfAtMost(
            long kibibytes, Engine engine, String agentId, String role, String volume, String user, String image) {
        String helper = engine.instance().uniqueName(agentId, role);
        List<String> words = new ArrayList<>(List.of("run", "--rm", "--pull", "never", "--name", helper));
        words.addAll(List.of("--network", "none", "--cap-drop", "ALL", "--cap-add", "CHOWN"));
        if (kibibytes > 0) {
            words.addAll(List.of("--cap-add", "DAC_READ_SEARCH"));
        }
        words.addAll(List.of("--security-opt", "no-new-privileges", "--read-only"));
        words.addAll(List.of("--pids-limit", "16", "--memory", "64m", "--user", "0:0"));
        engine.instance().labels().forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        words.addAll(List.of("--label", Labels.AGENT + "=" + agentId, "--label", Labels.ROLE + "=" + role));
        words.addAll(List.of("--mount", "type=volume,source=" + volume + ",target=" + OWNING));
        // Who a name is says each image for itself, so that everybody may write: no other agent's container has it.
        boolean numeric = user.matches("\\d+(:\\d+)?");
        String owner = !numeric ? "0:0" : user.contains(":") ? user : user + ":0";
        words.addAll(List.of("--entrypoint", "sh", "--", image, "-c", OWN, "sh"));
        words.addAll(List.of(owner, numeric ? "0700" : "0777", String.valueOf(kibibytes)));
        ExecResult result;
        try {
            result = engine.cli().run(engine.cli().command(words).build());
        } finally {
            engine.removeContainer(helper);
        }
        if (result.exitCode().orElse(-1) == TOO_LARGE) {
            return false;
        }
        if (!result.succeeded()) {
            throw engine.cli().failure(result, "run", "--mount", volume, image, "chown", owner);
        }
        return true;
    }
}
