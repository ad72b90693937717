package io.maestro.team.internal.architect;

/** The same where an architect of the host's is asked: requests lie in the inbox, too. */
class PeopleEffectsTest extends EffectsTest {
    @Override
    boolean people() {
        return true;
    }
}
