import type { RowName } from '../options';
import { contactsPage } from './contacts-row';
import { webhookDelivery } from './delivery-row';
import { dispatch, dispatchPool } from './dispatch-row';
import { incomingMessage } from './incoming-row';
import { listCursor, listPage, stats } from './read-rows';
import { appReport, statusReport } from './report-row';
import type { StartRow } from './row';
import { sendOne, sendPool, sendThousand } from './send-rows';

export interface RowDefinition {
  readonly start: StartRow;
  readonly unit: string;
  /** The rate per second of a comparable public server on the same machine and database. */
  readonly comparison?: number;
}

export const ROWS: Record<RowName, RowDefinition> = {
  send_one: { start: sendOne, unit: 'sends', comparison: 106 },
  send_thousand: { start: sendThousand, unit: 'recipients', comparison: 1_100 },
  status_report: { start: statusReport, unit: 'reports', comparison: 22 },
  app_report: { start: appReport, unit: 'reports' },
  incoming_message: { start: incomingMessage, unit: 'messages' },
  webhook_delivery: { start: webhookDelivery, unit: 'events', comparison: 22 },
  list_page: { start: listPage, unit: 'pages', comparison: 106 },
  list_cursor: { start: listCursor, unit: 'pages', comparison: 106 },
  stats: { start: stats, unit: 'reads', comparison: 291 },
  contacts_page: { start: contactsPage, unit: 'pages' },
  dispatch: { start: dispatch, unit: 'messages' },
  send_pool: { start: sendPool, unit: 'sends' },
  dispatch_pool: { start: dispatchPool, unit: 'messages' },
};
