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
            [ "$1" != 0:0 ] && [ "$(stat -c %u:%g /state)" = "$1" ] && exit 0
            [ -e /state/.maestro ] || [ -L /state/.maestro ] || : > /state/.maestro || exit
            chmod "$2" /state && chown "$1" /state
            """;

    private VolumeOwner() {}

    /**
     * Gives it away, unless that is done.
     *
     * @param role of the container
     * @param user as whom commands run
     * @param image the id of an image with {@code sh}, {@code stat} and {@code chown}
     */
    static void give(Engine engine, String agentId, String role, String volume, String user, String image) {
        String helper = engine.instance().uniqueName(agentId, role);
        List<String> words = new ArrayList<>(List.of("run", "--rm", "--pull", "never", "--name", helper));
        words.addAll(List.of("--network", "none", "--cap-drop", "ALL", "--cap-add", "CHOWN"));
        words.addAll(List.of("--security-opt", "no-new-privileges", "--read-only"));
        words.addAll(List.of("--pids-limit", "16", "--memory", "64m", "--user", "0:0"));
        engine.instance().labels().forEach((key, value) -> words.addAll(List.of("--label", key + "=" + value)));
        words.addAll(List.of("--label", Labels.AGENT + "=" + agentId, "--label", Labels.ROLE + "=" + role));
        words.addAll(List.of("--mount", "type=volume,source=" + volume + ",target=" + OWNING));
        // Who a name is says each image for itself, so that everybody may write: no other agent's container has it.
        boolean numeric = user.matches("\\d+(:\\d+)?");
        String owner = !numeric ? "0:0" : user.contains(":") ? user : user + ":0";
        words.addAll(List.of("--entrypoint", "sh", "--", image, "-c", OWN, "sh"));
        words.addAll(List.of(owner, numeric ? "0700" : "0777"));
        ExecResult result;
        try {
            result = engine.cli().run(engine.cli().command(words).build());
        } finally {
            engine.removeContainer(helper);
        }
        if (!result.succeeded()) {
            throw engine.cli().failure(result, "run", "--mount", volume, image, "chown", owner);
        }
    }
}
