import type { RowName } from '../options';
import { webhookDelivery } from './delivery-row';
import { dispatch } from './dispatch-row';
import { listCursor, listPage, stats } from './read-rows';
import { statusReport } from './report-row';
import type { BeginRow } from './row';
import { sendOne, sendThousand } from './send-rows';

/** A row, and what one is measured against besides its limit. */
export interface RowFacts {
  readonly begin: BeginRow;
  readonly unit: string;
  /** What one public server of this kind came to on the same machine and database, a second. */
  readonly comparison?: number;
}

export const ROWS: Record<RowName, RowFacts> = {
  send_one: { begin: sendOne, unit: 'sends', comparison: 106 },
  send_thousand: { begin: sendThousand, unit: 'recipients', comparison: 1_100 },
  status_report: { begin: statusReport, unit: 'reports', comparison: 22 },
  webhook_delivery: { begin: webhookDelivery, unit: 'events', comparison: 22 },
  list_page: { begin: listPage, unit: 'pages', comparison: 106 },
  list_cursor: { begin: listCursor, unit: 'pages', comparison: 106 },
  stats: { begin: stats, unit: 'reads', comparison: 291 },
  dispatch: { begin: dispatch, unit: 'messages' },
};
