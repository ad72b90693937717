package io.maestro.examples.maven;

import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.agent.Limits;
import io.maestro.error.MaestroException;
import io.maestro.exec.ExecRequest;
import io.maestro.exec.ExecResult;
import io.maestro.exec.local.LocalExecutor;
import io.maestro.llm.AnthropicClient;
import io.maestro.llm.Usage;
import io.maestro.record.CostScope;
import java.io.File;
import java.math.BigDecimal;
import java.util.Optional;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.plugins.annotations.Parameter;

/** What the goals have in common: the settings of the Maestro. */
abstract class MaestroMojo extends AbstractMojo {
    /** Where git clones from and pushes to; default: the remote {@code origin} of the project. */
    @Parameter(property = "maestro.repository")
    private String repository;

    /** The branch to start from and to merge into; default: the repository's own. */
    @Parameter(property = "maestro.targetBranch")
    private String targetBranch;

    /** Where Maestro keeps the record and the coders' workspaces; not in target, so that {@code mvn clean} keeps them. */
    @Parameter(property = "maestro.directory", defaultValue = "${project.basedir}/.maestro")
    private File directory;

    /** The model that plans and codes. */
    @Parameter(property = "maestro.model", defaultValue = "claude-sonnet-5")
    private String model;

    /** The model that reviews; default: the one that codes. */
    @Parameter(property = "maestro.architectModel")
    private String architectModel;

    /**
     * Runs the project's tests, in the root of a workspace; default: {@code mvn -B -ntp verify}, with the settings file, the
     * local repository and the offline mode of this build.
     */
    @Parameter(property = "maestro.testCommand")
    private String testCommand;

    /** A configuration file of Maestro; what is set here goes before it. */
    @Parameter(property = "maestro.config")
    private File config;

    /** The most that a story may cost, in US dollars; not together with a configuration file, which has limits of its own. */
    @Parameter(property = "maestro.costPerStory")
    private String costPerStory;

    /**
     * Who works in PLANNING and CODING: {@code standard}, or {@code claude-code} with maestro-claude among the plugin's
     * dependencies; default: as in the configuration file, or {@code standard}.
     */
    @Parameter(property = "maestro.coderMode")
    private String coderMode;

    /**
     * Where commands and tests run: {@code docker} with maestro-docker among the plugin's dependencies, configured by the object
     * {@code container} of the configuration file; default: on this machine.
     */
    @Parameter(property = "maestro.environment")
    private String environment;

    /** Does nothing. */
    @Parameter(property = "maestro.skip")
    private boolean skip;

    @Parameter(defaultValue = "${project.basedir}", readonly = true)
    private File baseDirectory;

    @Parameter(defaultValue = "${settings.offline}", readonly = true)
    private boolean offline;

    @Parameter(defaultValue = "${session.request.userSettingsFile}", readonly = true)
    private File userSettings;

    @Parameter(defaultValue = "${session.request.localRepositoryPath}", readonly = true)
    private File localRepository;

    @Override
    public final void execute() throws MojoExecutionException, MojoFailureException {
        if (skip) {
            getLog().info("skipped");
            return;
        }
        try {
            work();
        } catch (MaestroException e) {
            throw new MojoExecutionException(e.getMessage(), e);
        }
    }

    /**
     * Does what the goal is for.
     *
     * @throws MojoFailureException when the work was done in vain
     */
    abstract void work() throws MojoFailureException;

    /** The Maestro of the settings; close it. */
    final Maestro maestro() {
        return builder().build();
    }

    static String spent(Usage usage, Optional<BigDecimal> cost) {
        return ", for " + usage.totalTokens() + " tokens, "
                + cost.map(dollars -> "$" + dollars.toPlainString()).orElse("cost not known: a model has no price");
    }

    final MaestroBuilder builder() {
        MaestroBuilder builder = Maestro.builder()
                .projectDirectory(directory.toPath())
                .repository(repository == null ? origin() : repository)
                .coderModel(AnthropicClient.fromEnvironment(model))
                .testCommand(testCommand == null ? nestedBuild() : testCommand)
                .listener(new LogListener(getLog()));
        if (config != null && costPerStory != null) {
            throw new MaestroException(
                    "set the cost per story in " + config + ", not by maestro.costPerStory beside it");
        }
        if (config != null) {
            builder.config(config.toPath());
        }
        if (costPerStory != null) {
            builder.limits(Limits.builder()
                    .costCap(CostScope.STORY, dollars(costPerStory))
                    .build());
        }
        if (architectModel != null) {
            builder.architectModel(AnthropicClient.fromEnvironment(architectModel));
        }
        if (targetBranch != null) {
            builder.git(git -> git.targetBranch(targetBranch));
        }
        if (coderMode != null) {
            builder.coderMode(coderMode);
        }
        if (environment != null) {
            builder.environment(environment);
        }
        return builder;
    }

    /** The same Maven, which finds what this one has: a nested build must neither download again nor miss a mirror. */
    private String nestedBuild() {
        StringBuilder command = new StringBuilder("mvn -B -ntp");
        if (offline) {
            command.append(" -o");
        }
        if (userSettings != null && userSettings.isFile()) {
            command.append(" -s ").append(quoted(userSettings.getAbsolutePath()));
        }
        command.append(' ').append(quoted("-Dmaven.repo.local=" + localRepository));
        return command.append(" verify").toString();
    }

    /** Maven 3 makes no BigDecimal of a parameter. */
    private static BigDecimal dollars(String text) {
        try {
            return new BigDecimal(text.strip());
        } catch (NumberFormatException e) {
            throw new MaestroException("maestro.costPerStory: US dollars, for example 2.50, not '" + text + "'", e);
        }
    }

    private static String quoted(String argument) {
        return "'" + argument.replace("'", "'\\''") + "'";
    }

    private String origin() {
        ExecResult git = LocalExecutor.builder(baseDirectory.toPath())
                .build()
                .run(ExecRequest.command("git", "remote", "get-url", "origin").build());
        if (!git.succeeded()) {
            throw new MaestroException(baseDirectory + " has no git remote 'origin'; say which repository to work on by"
                    + " -Dmaestro.repository=URL or <repository>");
        }
        return git.stdout().text().strip();
    }
}
