package io.maestro.git.internal;

import java.util.Objects;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;

/**
 * JGit's state that belongs to the whole JVM. It measures the file systems that it works on and writes what it found to
 * {@code ~/.config/jgit/config}; a library that a host embeds shall not write there. This can only be said to JGit as a whole,
 * so it is said once, and only where nobody else can be surprised: when JGit is loaded by Maestro's own class loader, which
 * then does not outlive it there either, and has no {@link SystemReader} of the host's. JGit measures anew in each JVM then.
 */
public final class JGitGlobals {
    private JGitGlobals() {}

    /** Keeps JGit out of the user's home, where that is Maestro's to say. */
    public static void keepOutOfTheHome() {
        SystemReader known = SystemReader.getInstance();
        if (Objects.equals(SystemReader.class.getClassLoader(), JGitGlobals.class.getClassLoader())
                && known.getClass().getName().startsWith(SystemReader.class.getName() + "$")) {
            SystemReader.setInstance(new Reader(known));
        }
    }

    private static final class Reader extends SystemReader.Delegate {
        Reader(SystemReader known) {
            super(known);
        }

        @Override
        public FileBasedConfig openJGitConfig(Config parent, FS fs) {
            return new InMemory(parent, fs);
        }
    }

    private static final class InMemory extends FileBasedConfig {
        InMemory(Config parent, FS fs) {
            super(parent, null, fs);
        }

        @Override
        public void load() {
            // There is nothing to load.
        }

        @Override
        public void save() {
            // It is forgotten with the JVM.
        }

        @Override
        public boolean isOutdated() {
            return false;
        }
    }
}
