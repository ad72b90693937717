package io.maestro.git.hosted;

import io.maestro.git.ForgeComments;
import java.time.Duration;
import java.util.Optional;

/** The comments of a forge, of which a test changes a part. */
class PassedOn implements ForgeComments {
    private final ForgeComments forge;

    PassedOn(ForgeComments forge) {
        this.forge = forge;
    }

    @Override
    public Duration interval() {
        return forge.interval();
    }

    @Override
    public Optional<Conversation> conversation(Subject subject) {
        return forge.conversation(subject);
    }

    @Override
    public void post(Subject subject, String text) {
        forge.post(subject, text);
    }

    @Override
    public void edit(Subject subject, long id, String text) {
        forge.edit(subject, id, text);
    }

    @Override
    public boolean mayDecide(Subject subject, Comment comment) {
        return forge.mayDecide(subject, comment);
    }
}
