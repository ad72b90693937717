package io.maestro.git.internal.diff;

import static io.maestro.testing.AssertThat.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import org.eclipse.jgit.internal.storage.file.FileRepository;
import org.eclipse.jgit.lib.AbbreviatedObjectId;
import org.eclipse.jgit.lib.AnyObjectId;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.TreeFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeDiffTest {
    /** Does not answer what would list all loose objects. */
    private static final class Watched extends ObjectReader.Filter {
        private final ObjectReader reader;

        Watched(ObjectReader reader) {
            this.reader = reader;
        }

        @Override
        protected ObjectReader delegate() {
            return reader;
        }

        @Override
        public AbbreviatedObjectId abbreviate(AnyObjectId id, int length) {
            throw new AssertionError("looked for others");
        }

        @Override
        public Collection<ObjectId> resolve(AbbreviatedObjectId id) {
            throw new AssertionError("looked for others");
        }
    }

    /** An agent leaves 30,000 new files: for each of them all objects would be listed. */
    @Test
    void noFileOfADiffCostsALookAtAllObjects(@TempDir Path directory) throws Exception {
        try (FileRepository repository =
                        new FileRepository(directory.resolve("r.git").toFile());
                FileRepository watched =
                        new FileRepository(directory.resolve("r.git").toFile()) {
                            @Override
                            public ObjectReader newObjectReader() {
                                return new Watched(super.newObjectReader());
                            }
                        }) {
            repository.create(true);
            ObjectId from;
            ObjectId to;
            try (ObjectInserter inserter = repository.newObjectInserter()) {
                from = inserter.insert(new TreeFormatter());
                TreeFormatter tree = new TreeFormatter();
                ObjectId blob = inserter.insert(Constants.OBJ_BLOB, "text\n".getBytes(StandardCharsets.UTF_8));
                tree.append("a.txt", FileMode.REGULAR_FILE, blob);
                to = inserter.insert(tree);
                inserter.flush();
            }
            assertThat(TreeDiff.unified(watched, from, to, null, 1, 20_000)).contains("index 0000000..", "+text");
            assertThat(TreeDiff.stat(watched, from, to)).contains("1 file changed");
        }
    }
}
