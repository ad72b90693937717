package io.maestro.record.internal;

/**
 * What is there for questions about all stories: indexes for {@link CallSelects} and {@link CostSelects}, and views for people
 * with a client of the database, whose names and columns stand in the README and are kept.
 */
final class QueryViews {
    /** Whether a call failed; in an index, and so to be written in no other way. */
    static final String FAILED = "(error IS NOT NULL OR exit_code <> 0)";

    private static final String CALLS = """
            SELECT seq, timestamp, story_id, attempt, agent_id, state, tool_name, call_id, parent_call_id,
                CASE WHEN %s THEN 'failed' ELSE 'succeeded' END AS outcome,
                exit_code, duration_ms, parameters, result, error, session_id
            FROM tool_executions""".formatted(FAILED);

    private static final String COSTS = """
            sum(requests) AS requests,
                sum(CASE WHEN nanodollars IS NULL THEN requests ELSE 0 END) AS unpriced_requests,
                sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
                sum(cache_read_tokens) AS cache_read_tokens, sum(cache_write_tokens) AS cache_write_tokens,
                round(coalesce(sum(nanodollars), 0) / 1000000000.0, 6) AS dollars
            FROM timed_usage""";

    static final String SQL = """
            CREATE INDEX tool_executions_by_time ON tool_executions (timestamp, seq);
            CREATE INDEX tool_executions_by_duration ON tool_executions (duration_ms, seq);
            CREATE INDEX tool_executions_by_agent ON tool_executions (agent_id, timestamp, seq);
            CREATE INDEX tool_executions_by_tool ON tool_executions (%1$s, timestamp, seq);
            CREATE INDEX tool_executions_by_state ON tool_executions (%2$s, timestamp, seq);
            CREATE INDEX tool_executions_failed ON tool_executions (timestamp, seq) WHERE %3$s;

            CREATE VIEW model_usage AS
                SELECT story_id, attempt, agent_id, state, model, 1 AS requests, input_tokens, output_tokens,
                    cache_read_tokens, cache_write_tokens, nanodollars FROM messages WHERE model IS NOT NULL
                UNION ALL
                SELECT story_id, attempt, agent_id, state, model, requests, input_tokens, output_tokens,
                    cache_read_tokens, cache_write_tokens, nanodollars FROM pruned_usage;
            CREATE VIEW timed_usage AS
                SELECT story_id, attempt, agent_id, state, model, 1 AS requests, input_tokens, output_tokens,
                    cache_read_tokens, cache_write_tokens, nanodollars, timestamp FROM messages WHERE model IS NOT NULL
                UNION ALL
                SELECT story_id, attempt, agent_id, state, model, requests, input_tokens, output_tokens,
                    cache_read_tokens, cache_write_tokens, nanodollars, timestamp FROM pruned_usage;

            CREATE VIEW recent_calls AS %4$s ORDER BY timestamp DESC, seq DESC;
            CREATE VIEW failed_calls AS %4$s WHERE %3$s ORDER BY timestamp DESC, seq DESC;
            CREATE VIEW slowest_calls AS %4$s ORDER BY duration_ms DESC, seq DESC;
            CREATE VIEW cost_by_agent AS SELECT agent_id, %5$s GROUP BY agent_id;
            CREATE VIEW cost_by_story AS SELECT story_id, %5$s GROUP BY story_id;
            CREATE VIEW cost_by_day AS SELECT substr(timestamp, 1, 10) AS day, %5$s GROUP BY substr(timestamp, 1, 10);
            CREATE VIEW latest_stories AS
                SELECT id AS story_id, attempt, state, title, agent_id, branch, merge_commit, error, spec_id, updated_at,
                    (SELECT round(coalesce(sum(nanodollars), 0) / 1000000000.0, 6) FROM model_usage
                        WHERE story_id = story.id) AS dollars
                FROM stories AS story WHERE attempt = (SELECT max(attempt) FROM stories WHERE id = story.id)
                ORDER BY updated_at DESC;
            """.formatted(start("tool_name"), start("state"), FAILED, CALLS, COSTS);

    private QueryViews() {}

    /** What of a column is in an index: a model can call a tool by a name that is too long for one. */
    static String start(String column) {
        return "substr(" + column + ", 1, 100)";
    }
}
