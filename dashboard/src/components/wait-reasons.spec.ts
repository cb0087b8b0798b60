import { WAIT_REASONS } from '../../../src/devices/states/wait-reasons';
import { isAsSet } from './wait-reasons';

it('tells what its owner has set from what needs repair', () => {
  expect(WAIT_REASONS.filter((reason) => !isAsSet(reason))).toEqual([
    'sim_absent',
    'sim_unhealthy',
    'phone_unreachable',
    'no_sim_for_country',
    'pool_empty',
  ]);
});
