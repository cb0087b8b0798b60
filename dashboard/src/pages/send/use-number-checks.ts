import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

const loadRules = () => import('../../../../src/common/phone-number');

export interface NumberChecks {
  /** What is wrong with each number that cannot be read, by number. */
  readonly unreadable: ReadonlyMap<string, string>;
  /** Numbers of a form that their country does not use. They can be sent to: a country may have added it since. */
  readonly unusual: readonly string[];
}

/** Checks numbers without the service. The rules are loaded with the first number. */
export function useNumberChecks(numbers: readonly string[]): NumberChecks {
  const { t } = useTranslation();
  const [rules, setRules] = useState<Awaited<ReturnType<typeof loadRules>>>();
  const isNeeded = numbers.length > 0;
  useEffect(() => {
    if (isNeeded) void loadRules().then(setRules);
  }, [isNeeded]);
  return useMemo(() => {
    const unreadable = new Map<string, string>();
    const unusual: string[] = [];
    if (!rules) return { unreadable, unusual };
    for (const text of numbers) {
      const { number, problem } = rules.readPhoneNumber(text);
      if (problem) unreadable.set(text, t(`failures.numbers.${problem}`));
      else if (rules.isUnusualNumber(number)) unusual.push(text);
    }
    return { unreadable, unusual };
  }, [numbers, rules, t]);
}
