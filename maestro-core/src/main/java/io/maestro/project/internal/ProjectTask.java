package io.maestro.project.internal;

/** What a command does with a project. */
public enum ProjectTask {
    SETUP("setup", "was", "setup.command"),
    BUILD("build", "was", "build.command"),
    LINT("lint", "was", "lint.command"),
    TEST("tests", "were", "tests.command");

    private final String subject;
    private final String was;
    private final String setting;

    ProjectTask(String subject, String was, String setting) {
        this.subject = subject;
        this.was = was;
        this.setting = setting;
    }

    /** What a sentence says something of. */
    public String subject() {
        return subject;
    }

    /** The verb that goes with it. */
    public String was() {
        return was;
    }

    /** Where a host sets the command, in its file. */
    public String setting() {
        return setting;
    }
}
