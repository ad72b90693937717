package io.maestro.docker.testing;

import io.maestro.docker.DockerHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A second docker engine for a class of tests, as if it were on another machine: with storage, network and processes of its
 * own, and without this machine's files below {@link #unseen()}. It listens on a socket, and with TLS on an address. Register it
 * as a static field with {@code @RegisterExtension}.
 *
 * <p>All its processes live in a pid namespace, so that they all end with its first one. What a killed test run has left is
 * ended by the next one.
 */
public final class SecondEngine implements BeforeAllCallback, AfterAllCallback, ExecutionCondition {
    private static final Path PARENT = Path.of("/var/lib");
    private static final String PREFIX = "maestro-second-engine-";
    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");
    private static final int PORT = 2376;

    /** Where {@code .ci/docker} leaves the programs of a newer engine. */
    private static final Path NEWER = Path.of("/usr/local/lib/maestro-newer-engine");

    private final List<String> images;
    private final boolean newer;
    private Path home = PARENT;
    private String name = "";
    private String address = "";
    private Process process;

    /** An engine that has these images of the first one. */
    public SecondEngine(String... images) {
        this(false, images);
    }

    private SecondEngine(boolean newer, String... images) {
        this.newer = newer;
        this.images = List.of(images);
    }

    /** One that builds by BuildKit, which the engines of some Debian releases do not. */
    public static SecondEngine newer(String... images) {
        return new SecondEngine(true, images);
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Optional<String> missing = Stream.of("dockerd", "ip", "unshare", "nsenter", "openssl", "iptables")
                .filter(program -> Stream.of("/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin")
                        .noneMatch(directory -> Files.isExecutable(Path.of(directory, program))))
                .findFirst();
        String line = !"root".equals(System.getProperty("user.name"))
                ? "a second engine can be started by root only"
                : missing.map(program -> "a second engine needs the program " + program)
                        .orElse("");
        if (newer && line.isEmpty() && !Files.isExecutable(NEWER.resolve("dockerd"))) {
            line = "a newer engine needs the programs that .ci/docker leaves in " + NEWER;
        }
        if (line.isEmpty()) {
            return ConditionEvaluationResult.enabled("a second engine can be started");
        }
        if (Boolean.getBoolean("maestro.docker.required")) {
            throw new IllegalStateException(line + ", and maestro.docker.required is true");
        }
        System.out.println("SKIPPED: " + context.getDisplayName() + ": " + line);
        return ConditionEvaluationResult.disabled(line);
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        endLeftovers();
        name = "ms" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36);
        home = Files.createDirectory(PARENT.resolve(PREFIX + name));
        Files.writeString(home.resolve("owner"), identity(ProcessHandle.current()));
        Files.writeString(home.resolve("daemon.json"), "{}");
        Files.createDirectories(unseen());
        try {
            network();
            keys();
            start();
            for (String image : images) {
                if (image.equals(GitImage.NAME)) {
                    GitImage.require();
                }
                load(image);
            }
        } catch (Exception e) {
            end(home);
            throw e;
        }
    }

    /** Gives it an image of the first one. */
    public void load(String image) throws Exception {
        pipe(List.of("docker", "save", image), docker("load", "--quiet"));
    }

    /** Starts it, the first time or after {@link #stop()}, with what it has stored. */
    public void start() throws Exception {
        Path exec = home.resolve("exec");
        String line =
                "mount -t proc proc /proc && mount -t tmpfs tmpfs \"$1\" && shift && exec nsenter --net=/run/netns/"
                        + name + " dockerd \"$@\"";
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--propagation",
                "private",
                "sh",
                "-c",
                line,
                "sh",
                unseen().toString(),
                "--config-file",
                home.resolve("daemon.json").toString(),
                "--data-root",
                home.resolve("data").toString(),
                "--exec-root",
                exec.toString(),
                "--pidfile",
                home.resolve("docker.pid").toString(),
                "--host",
                "unix://" + home.resolve("socket"),
                "--host",
                "tcp://" + address + ":" + PORT,
                "--tlsverify",
                "--tlscacert",
                home.resolve("keys/ca.pem").toString(),
                "--tlscert",
                home.resolve("keys/server-cert.pem").toString(),
                "--tlskey",
                home.resolve("keys/server-key.pem").toString())));
        if (newer) {
            builder.environment().merge("PATH", NEWER.toString(), (path, first) -> first + ":" + path);
        } else {
            builder.command().addAll(List.of("--cgroup-parent", "/" + name));
        }
        Files.deleteIfExists(home.resolve("docker.pid"));
        // A power cut empties /run, too. With the old pid file dockerd may take another process for its containerd.
        if (Files.exists(exec)) {
            delete(exec);
        }
        builder.redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(home.resolve("log").toFile()));
        process = builder.start();
        process.getOutputStream().close();
        Files.writeString(home.resolve("engine"), identity(process.toHandle()));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
        while (!tryRun(docker("version"))) {
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new IllegalStateException("the second engine does not start: " + log());
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private String log() throws IOException {
        List<String> lines = Files.readAllLines(home.resolve("log"));
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
    }

    /** Ends it as a power cut does, with all its containers. */
    public void stop() throws Exception {
        process.destroyForcibly();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the second engine does not end");
        }
        awaitNoProcess(home);
    }

    /** Kills its containerd if there is one; it starts another some seconds later. Containers go on. */
    public void killContainerd() throws Exception {
        String its = "containerd --config " + home.resolve("exec");
        List<ProcessHandle> found = ProcessHandle.allProcesses()
                .filter(one -> one.info().commandLine().orElse("").contains(its))
                .toList();
        for (ProcessHandle one : found) {
            one.destroyForcibly();
            one.onExit().get(120, TimeUnit.SECONDS);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        end(home);
    }

    /** A directory of this machine that the engine does not see: there it has an empty one. */
    public Path unseen() {
        return home.resolve("unseen");
    }

    /** By its socket. */
    public DockerHost host() {
        return DockerHost.builder().name("second").url(socketUrl()).build();
    }

    /** Where it listens on this machine. */
    public String socketUrl() {
        return "unix://" + home.resolve("socket");
    }

    /** Where it listens with TLS. */
    public String tlsUrl() {
        return "tcp://" + address + ":" + PORT;
    }

    /** The keys of a client that it trusts, with its own authority. */
    public Path keys() throws Exception {
        Path keys = home.resolve("keys");
        if (!Files.exists(keys.resolve("key.pem"))) {
            authority(keys);
            certificate(
                    keys, "server-", "/CN=second", "subjectAltName=IP:" + address + "\nextendedKeyUsage=serverAuth\n");
            certificate(keys, "", "/CN=client", "extendedKeyUsage=clientAuth\n");
        }
        return keys;
    }

    /** The same keys with an authority that is not the engine's. */
    public Path wrongAuthority() throws Exception {
        Path wrong = home.resolve("wrong");
        authority(wrong);
        for (String file : List.of("cert.pem", "key.pem")) {
            Files.copy(keys().resolve(file), wrong.resolve(file));
        }
        return wrong;
    }

    private static void authority(Path keys) throws Exception {
        Files.createDirectories(keys);
        run(List.of(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=authority",
                "-keyout",
                keys.resolve("ca-key.pem").toString(),
                "-out",
                keys.resolve("ca.pem").toString()));
    }

    private static void certificate(Path keys, String prefix, String subject, String extensions) throws Exception {
        Path request = keys.resolve(prefix + "request.pem");
        Path file = Files.writeString(keys.resolve(prefix + "extensions"), extensions);
        run(List.of(
                "openssl",
                "req",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-subj",
                subject,
                "-keyout",
                keys.resolve(prefix + "key.pem").toString(),
                "-out",
                request.toString()));
        run(List.of(
                "openssl",
                "x509",
                "-req",
                "-in",
                request.toString(),
                "-days",
                "2",
                "-CAcreateserial",
                "-CA",
                keys.resolve("ca.pem").toString(),
                "-CAkey",
                keys.resolve("ca-key.pem").toString(),
                "-extfile",
                file.toString(),
                "-out",
                keys.resolve(prefix + "cert.pem").toString()));
    }

    /** A command for it. */
    public List<String> docker(String... words) {
        List<String> command = new ArrayList<>(List.of("docker", "--host", socketUrl()));
        command.addAll(List.of(words));
        return command;
    }

    /** A command for a program that runs in its network, where its bridges are. */
    public List<String> besideIt(String... words) {
        List<String> command = new ArrayList<>(List.of("nsenter", "--net=/run/netns/" + name));
        command.addAll(List.of(words));
        return command;
    }

    private void network() throws Exception {
        // Addresses for benchmarks, in no network of anybody.
        int at = ThreadLocalRandom.current().nextInt(1 << 15);
        String network = "198." + (18 + (at >> 14)) + "." + ((at >> 6) & 255) + ".";
        int low = (at & 63) * 4;
        address = network + (low + 2);
        run(List.of("ip", "netns", "add", name));
        run(List.of("ip", "link", "add", name + "h", "type", "veth", "peer", "name", name + "e", "netns", name));
        run(List.of("ip", "addr", "add", network + (low + 1) + "/30", "dev", name + "h"));
        run(List.of("ip", "link", "set", name + "h", "up"));
        run(List.of("ip", "-n", name, "addr", "add", address + "/30", "dev", name + "e"));
        run(List.of("ip", "-n", name, "link", "set", name + "e", "up"));
        run(List.of("ip", "-n", name, "link", "set", "lo", "up"));
    }

    private static void endLeftovers() throws Exception {
        List<Path> homes;
        try (Stream<Path> found = Files.list(PARENT)) {
            homes = found.filter(path -> path.getFileName().toString().startsWith(PREFIX))
                    .toList();
        }
        for (Path home : homes) {
            // A directory without an owner may be one that another JVM makes at this moment.
            Path owner = home.resolve("owner");
            if (read(owner).isPresent() && handle(owner).isEmpty()) {
                end(home);
            }
        }
    }

    private static void end(Path home) throws Exception {
        Optional<ProcessHandle> engine = handle(home.resolve("engine"));
        if (engine.isPresent()) {
            engine.get().destroyForcibly();
            engine.get().onExit().get(120, TimeUnit.SECONDS);
        }
        awaitNoProcess(home);
        String name = home.getFileName().toString().substring(PREFIX.length());
        tryRun(List.of("ip", "link", "del", name + "h"));
        tryRun(List.of("ip", "netns", "del", name));
        try (Stream<Path> controllers = Files.list(CGROUPS)) {
            for (Path controller : controllers.toList()) {
                deleteGroups(controller.resolve(name));
            }
        }
        deleteGroups(CGROUPS.resolve(name));
        delete(home);
    }

    /** The kernel ends what is in the pid namespace, a moment after its first process. */
    private static void awaitNoProcess(Path home) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (ProcessHandle.allProcesses()
                .anyMatch(one -> one.info().commandLine().orElse("").contains(home + "/"))) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("processes of the engine in " + home + " do not end");
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static void deleteGroups(Path group) {
        if (!Files.isDirectory(group, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (Stream<Path> groups = Files.walk(group)) {
            for (Path one : groups.filter(Files::isDirectory)
                    .sorted(Comparator.reverseOrder())
                    .toList()) {
                Files.delete(one);
            }
        } catch (IOException | UncheckedIOException e) {
            System.out.println("the control group " + group + " is left: " + e);
        }
    }

    private static void delete(Path directory) throws Exception {
        // Device files and foreign owners: this is what rm is for, and no mount is below in this namespace.
        run(List.of("rm", "-rf", "--one-file-system", directory.toString()));
    }

    private static String identity(ProcessHandle process) {
        return process.pid() + " "
                + process.info().startInstant().map(Object::toString).orElse("");
    }

    private static Optional<ProcessHandle> handle(Path file) throws IOException {
        return read(file)
                .flatMap(text -> ProcessHandle.of(Long.parseLong(text.substring(0, text.indexOf(' '))))
                        .filter(process ->
                                process.isAlive() && identity(process).equals(text)));
    }

    /** The identity in a file, if that is there and whole: other JVMs write and delete theirs at the same time. */
    private static Optional<String> read(Path file) throws IOException {
        try {
            return Optional.of(Files.readString(file)).filter(text -> text.contains(" "));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static boolean tryRun(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.getOutputStream().close();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return false;
        }
        return process.exitValue() == 0;
    }

    private static void run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IllegalStateException(command + " failed: " + said);
        }
    }

    private static void pipe(List<String> from, List<String> to) throws Exception {
        List<Process> both = ProcessBuilder.startPipeline(List.of(
                new ProcessBuilder(from), new ProcessBuilder(to).redirectOutput(ProcessBuilder.Redirect.DISCARD)));
        for (Process one : both) {
            if (!one.waitFor(5, TimeUnit.MINUTES) || one.exitValue() != 0) {
                both.forEach(Process::destroyForcibly);
                throw new IllegalStateException(from + " | " + to + " failed: "
                        + new String(one.getErrorStream().readAllBytes()));
            }
        }
    }
}
