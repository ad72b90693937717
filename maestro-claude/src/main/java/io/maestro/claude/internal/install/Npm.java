package io.maestro.claude.internal.install;

import io.maestro.claude.internal.install.Journal.Done;
import java.util.UUID;

/** Lets npm fetch the native package. Its own configuration holds, so that a company's registry is found. */
final class Npm {
    private static final String SCRIPT = """
            set -eu
            umask 022
            work=$1
            trap 'trap "" TERM INT HUP; rm -rf "$work"' EXIT
            trap 'exit 143' TERM INT HUP
            mkdir -p "$work"
            cd "$work"
            npm install --prefix "$work" --cache "$work/cache" --no-save --no-package-lock --ignore-scripts --no-audit \\
                --no-fund --no-progress --fetch-retries=1 --fetch-timeout=60000 ${5:+--registry "$5"} "$2" &
            wait $!
            chmod 755 "$work/node_modules/$3/claude"
            rm -f "$4.from"
            mv -f "$work/node_modules/$3/claude" "$4"
            """;

    private final Sandbox sandbox;
    private final Plan plan;

    Npm(Sandbox sandbox, Plan plan) {
        this.sandbox = sandbox;
        this.plan = plan;
    }

    Done<String> install(String platform, String target) {
        String name = NativePackage.name(platform);
        String work = target.substring(0, target.lastIndexOf('/')) + "/.npm-" + UUID.randomUUID();
        boolean done = false;
        try {
            String printed = sandbox.require(
                    "npm install " + name + "@" + plan.wanted(),
                    SCRIPT,
                    plan.installLimit(),
                    work,
                    name + "@" + plan.wanted(),
                    name,
                    target,
                    plan.registry().map(Object::toString).orElse(""));
            done = true;
            return new Done<>(target, "npm has installed " + name + "@" + plan.wanted() + ": " + Sandbox.tail(printed));
        } finally {
            if (!done) {
                sandbox.cleanUp(plan.checkLimit(), work);
            }
        }
    }
}
