package io.maestro.team.internal.loop;

import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes a conversation that is too long shorter. Kept are the first message, which is the story with its plan; what is left to
 * do; and the newest turns whole. Of older turns the calls are kept and short notes of what came of them; of still older ones
 * only a line for each call. A call never loses its result, and the roles go on alternating. Of the first message parts are
 * left out when nothing else helps.
 *
 * <p>The same messages and bounds give the same conversation, so that one which is rebuilt from the record is what it was.
 */
final class Compaction {
    /** A result that is in the newest turn is not cut to less than this many characters. */
    static final int LEAST = 400;

    private static final int MOST_NOTES = 8_000;
    private static final int TODO_CHARACTERS = 4_000;
    private static final int LINE = 200;
    private static final Pattern ROW = Pattern.compile(
            "compacted to (\\d+) characters(?:, as the model reads (\\d+) tokens at most)?: [^\\n]*\\n?");

    /** A turn: what the model said, and what came back. */
    private record Turn(List<LlmMessage> messages) {
        long size() {
            return MessageSizes.of(messages);
        }
    }

    private Compaction() {}

    /**
     * The conversation in so many characters, as far as that is possible: the first message and the newest turn, of which
     * long parts are cut, are the least. One that is short enough is returned as it is.
     *
     * @param todos what is left to do; cut when it is long, may be empty
     */
    static List<LlmMessage> compact(List<LlmMessage> messages, long characters, String todos) {
        if (messages.isEmpty() || MessageSizes.of(messages) <= characters) {
            return List.copyOf(messages);
        }
        LlmMessage first = messages.get(0);
        List<LlmContent> head = CompactionNote.without(first);
        CompactionNote note =
                CompactionNote.in(first).orElse(CompactionNote.NONE).todos(Shortening.middle(todos, TODO_CHARACTERS));
        List<Turn> turns = turns(messages);
        Map<String, String> toolNames = toolNames(messages);

        LlmMessage shortest = head(head, note.plus(turns.size(), List.of()).last(0));
        long least = turns.isEmpty() ? 0 : fit(turns.get(turns.size() - 1), 0).size();
        long newestRoom = turns.isEmpty()
                ? 0
                : Math.max(least, Math.min(turns.get(turns.size() - 1).size(), characters / 4));
        long over = MessageSizes.of(shortest) + newestRoom - characters;
        if (over > 0) {
            Turn story = new Turn(List.of(head(head, CompactionNote.NONE)));
            head = cut(story, story.size() - over, true).messages().get(0).content();
            shortest = head(head, note.plus(turns.size(), List.of()).last(0));
        }
        long spare = Math.max(0, characters - MessageSizes.of(shortest) - least);
        long notes = Math.min(MOST_NOTES, spare / 8);
        long room = least + spare - notes;

        // The newest turns whole, in three quarters of the room; the newest of all in any case.
        List<Turn> kept = new ArrayList<>();
        int next = turns.size() - 1;
        if (next >= 0) {
            Turn newest = turns.get(next--);
            kept.add(newest.size() <= room ? newest : fit(newest, room));
            room -= kept.get(0).size();
        }
        long whole = room * 3 / 4;
        while (next >= 0 && turns.get(next).size() <= whole) {
            Turn turn = turns.get(next--);
            kept.add(0, turn);
            whole -= turn.size();
            room -= turn.size();
        }
        while (next >= 0) {
            Turn turn = older(turns.get(next), toolNames);
            if (turn.size() > room) {
                break;
            }
            kept.add(0, turn);
            room -= turn.size();
            next--;
        }
        List<Turn> dropped = turns.subList(0, next + 1);
        CompactionNote after = note.plus(dropped.size(), lines(dropped)).last(notes);
        List<LlmMessage> result = new ArrayList<>();
        result.add(head(head, after));
        kept.forEach(turn -> result.addAll(turn.messages()));
        return List.copyOf(result);
    }

    /**
     * What is recorded about a compaction.
     *
     * @param mostTokens what the model can read, as far as it has said so; else {@link Long#MAX_VALUE}
     */
    static String row(List<LlmMessage> before, List<LlmMessage> after, long characters, String todos, long mostTokens) {
        return "compacted to " + characters + " characters"
                + (mostTokens == Long.MAX_VALUE ? "" : ", as the model reads " + mostTokens + " tokens at most")
                + ": " + before.size() + " messages of " + MessageSizes.of(before) + " characters became "
                + after.size() + " of " + MessageSizes.of(after) + "\n" + todos;
    }

    /** The compaction that a row was written about, once more. */
    static List<LlmMessage> replay(List<LlmMessage> messages, String row) {
        Matcher matcher = matcher(row);
        return compact(messages, Long.parseLong(matcher.group(1)), row.substring(matcher.end()));
    }

    /** What the model can read, according to a row; {@link Long#MAX_VALUE} where it has not said so. */
    static long mostTokens(String row) {
        String tokens = matcher(row).group(2);
        return tokens == null ? Long.MAX_VALUE : Long.parseLong(tokens);
    }

    private static Matcher matcher(String row) {
        Matcher matcher = ROW.matcher(row);
        if (!matcher.lookingAt()) {
            throw new IllegalArgumentException("not the record of a compaction: " + CallKey.line(row, LINE));
        }
        return matcher;
    }

    private static LlmMessage head(List<LlmContent> content, CompactionNote note) {
        List<LlmContent> all = new ArrayList<>(content);
        if (!note.isEmpty()) {
            all.add(new LlmContent.Text(note.text()));
        }
        return new LlmMessage(LlmMessage.Role.USER, all);
    }

    private static List<Turn> turns(List<LlmMessage> messages) {
        List<Turn> turns = new ArrayList<>();
        List<LlmMessage> turn = new ArrayList<>();
        for (LlmMessage message : messages.subList(1, messages.size())) {
            if (message.role() == LlmMessage.Role.ASSISTANT && !turn.isEmpty()) {
                turns.add(new Turn(List.copyOf(turn)));
                turn.clear();
            }
            turn.add(message);
        }
        if (!turn.isEmpty()) {
            turns.add(new Turn(List.copyOf(turn)));
        }
        return turns;
    }

    private static Map<String, String> toolNames(List<LlmMessage> messages) {
        Map<String, String> names = new HashMap<>();
        uses(messages).forEach(use -> names.put(use.id(), use.name()));
        return names;
    }

    private static Stream<LlmContent.ToolUse> uses(List<LlmMessage> messages) {
        return messages.stream()
                .flatMap(message -> message.content().stream())
                .filter(LlmContent.ToolUse.class::isInstance)
                .map(LlmContent.ToolUse.class::cast);
    }

    private static Turn older(Turn turn, Map<String, String> toolNames) {
        return new Turn(turn.messages().stream()
                .map(message -> Shortening.older(message, toolNames))
                .toList());
    }

    /** One line for each call, and for each text that came from the user's side. */
    private static List<String> lines(List<Turn> turns) {
        List<String> lines = new ArrayList<>();
        for (Turn turn : turns) {
            Map<String, Boolean> failed = new HashMap<>();
            for (LlmMessage message : turn.messages()) {
                for (LlmContent part : message.content()) {
                    if (part instanceof LlmContent.ToolReply reply) {
                        failed.put(reply.toolUseId(), reply.error());
                    }
                }
            }
            for (LlmMessage message : turn.messages()) {
                for (LlmContent part : message.content()) {
                    if (part instanceof LlmContent.ToolUse use) {
                        String outcome = failed.getOrDefault(use.id(), false) ? "failed" : "ok";
                        lines.add(CallKey.line(use.name() + ' ' + use.input(), LINE) + ": " + outcome);
                    } else if (part instanceof LlmContent.Text text && message.role() == LlmMessage.Role.USER) {
                        lines.add("you were told: " + CallKey.line(text.text(), LINE));
                    }
                }
            }
        }
        return lines;
    }

    /** A turn of which results, then texts and arguments are cut until it has so many characters, as far as that goes. */
    private static Turn fit(Turn turn, long characters) {
        Turn results = cut(turn, characters, false);
        return results.size() <= characters ? results : cut(turn, characters, true);
    }

    /** The longest of what may be cut is cut first; the rest stays whole. */
    private static Turn cut(Turn turn, long characters, boolean everything) {
        int low = LEAST;
        int high = turn.messages().stream()
                .flatMap(message -> message.content().stream())
                .mapToInt(part -> (int) Math.min(Integer.MAX_VALUE / 2, MessageSizes.of(part)))
                .max()
                .orElse(LEAST);
        Turn best = cutTo(turn, low, everything);
        while (low < high) {
            int middle = low + (high - low + 1) / 2;
            Turn tried = cutTo(turn, middle, everything);
            if (tried.size() <= characters) {
                low = middle;
                best = tried;
            } else {
                high = middle - 1;
            }
        }
        return best;
    }

    private static Turn cutTo(Turn turn, int most, boolean everything) {
        return new Turn(turn.messages().stream()
                .map(message -> new LlmMessage(
                        message.role(),
                        message.content().stream()
                                .map(part -> cutTo(part, most, everything))
                                .toList()))
                .toList());
    }

    private static LlmContent cutTo(LlmContent part, int most, boolean everything) {
        if (part instanceof LlmContent.ToolReply reply) {
            return new LlmContent.ToolReply(reply.toolUseId(), Shortening.middle(reply.text(), most), reply.error());
        }
        if (everything && part instanceof LlmContent.Text text) {
            return new LlmContent.Text(Shortening.middle(text.text(), most));
        }
        if (everything && part instanceof LlmContent.ToolUse use && use.input().length() > most) {
            return Shortening.arguments(use);
        }
        return part;
    }
}
