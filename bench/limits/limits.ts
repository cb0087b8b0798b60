import type { RowName } from '../options';
import { deliveryLimit } from './delivery-limit';
import { dispatchLimit } from './dispatch-limit';
import { incomingLimit } from './incoming-limit';
import type { Limit, LimitRoom } from './limit';
import { contactsLimit, cursorLimit, listLimit, statsLimit } from './read-limits';
import { reportLimit } from './report-limit';
import { sendOneLimit, sendThousandLimit } from './send-limits';

/** The limit of each row. */
export const LIMITS: Record<RowName, (room: LimitRoom) => Limit | Promise<Limit>> = {
  send_one: sendOneLimit,
  send_thousand: sendThousandLimit,
  status_report: reportLimit,
  app_report: reportLimit,
  incoming_message: incomingLimit,
  webhook_delivery: deliveryLimit,
  list_page: listLimit,
  list_cursor: cursorLimit,
  stats: statsLimit,
  contacts_page: contactsLimit,
  dispatch: dispatchLimit,
  send_pool: sendOneLimit,
  dispatch_pool: dispatchLimit,
};
