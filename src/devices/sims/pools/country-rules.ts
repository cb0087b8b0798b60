/** The SIMs that send to numbers with a prefix, such as `+49` or `+1907`; the longest prefix of a number applies. */
export type CountryRules = Readonly<Record<string, readonly string[]>>;

/**
 * The ids of the SIMs that may send to a number.
 * @param number in E.164; others match no rule.
 * @returns undefined if no rule applies: then all SIMs may.
 */
export function simsServing(number: string, rules: CountryRules = {}): readonly string[] | undefined {
  const [longest] = Object.keys(rules)
    .filter((prefix) => number.startsWith(prefix))
    .sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : rules[longest];
}
