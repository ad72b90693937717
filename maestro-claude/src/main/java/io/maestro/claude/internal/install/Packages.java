package io.maestro.claude.internal.install;

import io.maestro.claude.internal.install.Journal.Done;
import java.util.Optional;

/** Installs packages of the system, where its administrator may be had. */
final class Packages {
    private static final String APT = "apt-get update -qq && DEBIAN_FRONTEND=noninteractive"
            + " apt-get install -y -qq --no-install-recommends \"$@\"";

    private final Sandbox sandbox;
    private final Facts facts;
    private final Plan plan;

    Packages(Sandbox sandbox, Facts facts, Plan plan) {
        this.sandbox = sandbox;
        this.facts = facts;
        this.plan = plan;
    }

    /** Why it cannot be tried; empty when it can. */
    Optional<String> obstacle() {
        if (manager().isEmpty()) {
            return Optional.of("there is no apt-get, apk, dnf or yum");
        }
        if (!facts.userId().equals("0") && plan.administrator().isEmpty()) {
            return Optional.of("user " + facts.userId() + " may not install packages, and no administrator was named");
        }
        return Optional.empty();
    }

    private Optional<String> manager() {
        for (String name : new String[] {"apt-get", "apk", "dnf", "yum"}) {
            if (facts.has(name)) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }

    /** Installs them. */
    Done<String> install(String... names) {
        String manager = manager().orElseThrow();
        String line = switch (manager) {
            case "apt-get" -> APT;
            case "apk" -> "apk add --no-cache \"$@\"";
            default -> manager + " install -y \"$@\"";
        };
        String printed = sandbox.as(plan.administrator())
                .require(manager, "export HOME=/tmp; cd / && { " + line + "; }", plan.installLimit(), names);
        return new Done<>(
                manager, manager + " has installed " + String.join(" ", names) + ": " + Sandbox.tail(printed));
    }
}
