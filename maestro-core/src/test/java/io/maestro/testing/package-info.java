/**
 * What the tests of all modules share, and the tiers in which they run. A test belongs into the first tier that can hold it.
 *
 * <ol>
 *   <li><b>Short</b>, {@code mvn verify}, about 8 minutes on two cores: every unit and contract test, and of each suite on an engine
 *       or on the Claude Code CLI one test for each distinct way through the code. No annotation.
 *   <li><b>Full</b>, {@code mvn -Pfull verify}: also what is marked {@link io.maestro.testing.Full}, which is what waits for
 *       long, and further combinations of engines, images, shells and ways through code that the short tier has tried once
 *       ({@link io.maestro.testing.TierSource} where they are arguments of one test).
 *   <li><b>Campaigns</b>, {@code mvn -Pcampaign verify -Dnumber=500 -Dseed=42}: what is marked {@code @Tag("campaign")}, as
 *       often as the number says: kills, faults, random inputs. {@link io.maestro.testing.Campaign} gives the number; the other
 *       two tiers run a sample.
 * </ol>
 */
package io.maestro.testing;
