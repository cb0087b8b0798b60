import { isMissing } from '../../infrastructure/mongo/exists';
import { type DayCharge, mergeCharges, monthOf } from './day-charge';
import { type Plan, UNLIMITED } from '../plans/plan.schema';
import type { UsagePeriod } from './usage-period';

const SCHEDULED = { $objectToArray: { $ifNull: ['$days', {}] } };
const EACH_MONTH = { $substrBytes: ['$$each.k', 0, 7] };

const filtered = (cond: object) => ({ $filter: { input: SCHEDULED, as: 'each', cond } });
const sumScheduled = (cond: object) => ({
  $sum: { $map: { input: filtered(cond), as: 'each', in: '$$each.v' } },
});
const countOf = (field: 'day' | 'month', value: string) => ({
  $cond: [{ $eq: [`$${field}`, value] }, `$${field}Count`, 0],
});

/** A charge whose count may be the path of a field of the updated document. */
interface StoredCharge {
  readonly day: string;
  readonly count: DayCharge['count'] | `$${string}`;
}

/**
 * An update that adds charges. Counts restart with their period and include the charges scheduled up to today; charges of
 * later days become scheduled charges.
 */
export function chargeUpdate(charges: readonly StoredCharge[], { day, month }: UsagePeriod) {
  const ahead = charges.filter((charge) => charge.day > day);
  const today = { $add: [0, ...charges.filter((charge) => charge.day <= day).map(({ count }) => count)] };
  const isDue = { $lte: ['$$each.k', day] };
  const isKept = {
    $and: [{ $gt: ['$$each.k', day] }, { $not: [{ $in: ['$$each.k', ahead.map((each) => each.day)] }] }],
  };
  const added = ahead.map((charge) => ({
    k: charge.day,
    v: { $add: [{ $ifNull: [`$days.${charge.day}`, 0] }, charge.count] },
  }));
  return {
    dayCount: { $add: [countOf('day', day), sumScheduled({ $eq: ['$$each.k', day] }), today] },
    monthCount: {
      $add: [countOf('month', month), sumScheduled({ $and: [isDue, { $eq: [EACH_MONTH, month] }] }), today],
    },
    day,
    month,
    days: { $arrayToObject: { $concatArrays: [filtered(isKept), added] } },
  };
}

/** An update that subtracts charges from the scheduled ones of their days, or from the counts if still in their period. */
export function refundUpdate(charges: readonly DayCharge[]) {
  const total = (terms: object[]) => ({ $add: [0, ...terms] });
  const counted = (field: 'day' | 'month', valueOf: (day: string) => string) =>
    total(
      charges.map(({ day, count }) => ({
        $cond: [
          {
            $and: [isMissing(`$days.${day}`), { $eq: [`$${field}`, valueOf(day)] }],
          },
          count,
          0,
        ],
      })),
    );
  const less = (value: string, by: object) => ({ $max: [0, { $subtract: [value, by] }] });
  const ofEach = total(charges.map(({ day, count }) => ({ $cond: [{ $eq: ['$$each.k', day] }, count, 0] })));
  return {
    dayCount: less(
      '$dayCount',
      counted('day', (day) => day),
    ),
    monthCount: less('$monthCount', counted('month', monthOf)),
    days: {
      $arrayToObject: {
        $map: { input: SCHEDULED, as: 'each', in: { k: '$$each.k', v: less('$$each.v', ofEach) } },
      },
    },
  };
}

/** A filter that matches if the charges fit the daily and monthly limits. */
export function withinLimits(charges: readonly DayCharge[], { dailyLimit, monthlyLimit }: Plan): object {
  const months = mergeCharges(charges.map(({ day, count }) => ({ day: monthOf(day), count })));
  const days = charges.map(({ day, count }) => ({
    $lte: [{ $add: [countOf('day', day), { $ifNull: [`$days.${day}`, 0] }] }, dailyLimit - count],
  }));
  const ofMonths = months.map(({ day: month, count }) => ({
    $lte: [
      { $add: [countOf('month', month), sumScheduled({ $eq: [EACH_MONTH, month] })] },
      monthlyLimit - count,
    ],
  }));
  const conditions = [
    ...(dailyLimit === UNLIMITED ? [] : days),
    ...(monthlyLimit === UNLIMITED ? [] : ofMonths),
  ];
  return conditions.length > 0 ? { $expr: { $and: conditions } } : {};
}
