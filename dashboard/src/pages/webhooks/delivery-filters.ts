import { endOfDay, startOfDay } from '../messages/days';
import { DELIVERY_STATES, type DeliveryState, EMITTED_EVENTS } from './webhook';

export interface DeliveryFilters {
  readonly status?: DeliveryState;
  readonly event?: (typeof EMITTED_EVENTS)[number];
  /** Days of the chosen time zone, both inclusive, such as `2026-01-31`. */
  readonly from?: string;
  readonly to?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** The first and last days that the API is asked for when only the other end is chosen. */
const [FIRST_DAY, LAST_DAY] = ['2000-01-01', '2100-01-01'];

const dayOf = (text: string | undefined) =>
  text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;

/** Reads the filters of an address; what they cannot be is left out. */
export const readFilters = (search: Readonly<Record<string, string | undefined>>): DeliveryFilters => ({
  status: DELIVERY_STATES.find((each) => each === search.status),
  event: EMITTED_EVENTS.find((each) => each === search.event),
  from: dayOf(search.from),
  to: dayOf(search.to),
});

/** The query of the API, which takes both ends, inclusive, or none. */
export function filterQuery({ status, event, from, to }: DeliveryFilters, timeZone: string) {
  const end = endOfDay(to ?? LAST_DAY, timeZone);
  return {
    status,
    eventType: event,
    ...((from ?? to) !== undefined && {
      start: startOfDay(from ?? FIRST_DAY, timeZone),
      end: new Date(Date.parse(end) - 1).toISOString(),
    }),
  };
}
