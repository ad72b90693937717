package io.maestro.git.internal;

import io.maestro.internal.Uninterrupted;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;
import org.eclipse.jgit.lib.ConfigConstants;
import org.eclipse.jgit.lib.StoredConfig;
import org.eclipse.jgit.storage.file.FileBasedConfig;
import org.eclipse.jgit.util.FS;
import org.eclipse.jgit.util.SystemReader;

/**
 * JGit's state that belongs to the whole JVM. It measures the file systems that it works on and writes what it found to
 * {@code ~/.config/jgit/config}; a library that a host embeds shall not write there. This can only be said to JGit as a whole,
 * so it is said once, and only where nobody else can be surprised: when JGit is loaded by Maestro's own class loader, which
 * then does not outlive it there either, and has no {@link SystemReader} of the host's.
 *
 * <p>Without what it once found, JGit would measure anew in each JVM, for some three seconds of the first story. It is told the values
 * instead that it takes when it could not measure: they are right everywhere, and cost a look at a file that has just changed.
 */
public final class JGitGlobals {
    private JGitGlobals() {}

    /**
     * Keeps JGit out of the user's home and spares it the measuring of a file system, where that is Maestro's to say. Lets it read git's
     * settings, which it does once in a JVM, where no interrupt is lost by that.
     *
     * @param directory where it will work
     */
    public static void prepare(Path directory) {
        SystemReader known = SystemReader.getInstance();
        if (Objects.equals(SystemReader.class.getClassLoader(), JGitGlobals.class.getClassLoader())
                && known.getClass().getName().startsWith(SystemReader.class.getName() + "$")) {
            SystemReader.setInstance(new GlobalsReader(known));
        }
        try {
            if (SystemReader.getInstance().getJGitConfig() instanceof InMemory config) {
                config.add(Files.getFileStore(directory));
            }
        } catch (IOException | ConfigInvalidException e) {
            // Then it measures.
        }
        Uninterrupted.run(JGitGlobals::readSettings);
    }

    /** For that JGit asks git, once, and swallows an interrupt that comes meanwhile. */
    private static void readSettings() {
        try {
            StoredConfig unused = SystemReader.getInstance().getUserConfig();
        } catch (IOException | ConfigInvalidException e) {
            // Whoever needs them says so.
        }
    }

    private static final class GlobalsReader extends SystemReader.Delegate {
        GlobalsReader(SystemReader known) {
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

        /** Under the name by which {@link FS} looks for it. */
        void add(FileStore store) {
            String key =
                    System.getProperty("java.vendor") + '|' + System.getProperty("java.version") + '|' + store.name();
            setString(
                    ConfigConstants.CONFIG_FILESYSTEM_SECTION,
                    key,
                    ConfigConstants.CONFIG_KEY_TIMESTAMP_RESOLUTION,
                    FS.FileStoreAttributes.FALLBACK_TIMESTAMP_RESOLUTION.toMillis() + " ms");
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
