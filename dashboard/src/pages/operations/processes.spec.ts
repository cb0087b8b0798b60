import { missingRoles, versionsOf } from './processes';

describe('the processes of the installation', () => {
  it.each([
    [[], ['api', 'worker', 'scheduler']],
    [[['api'], ['worker', 'scheduler']], []],
    [[['api'], ['api', 'scheduler']], ['worker']],
  ] as const)('with the roles %j lack the roles %j', (processes, missing) => {
    expect(missingRoles(processes.map((roles) => ({ roles: [...roles] })))).toEqual(missing);
  });

  it('have each version once', () => {
    expect(versionsOf(['1.1.0', '1.0.0', '1.1.0'].map((version) => ({ version })))).toEqual([
      '1.1.0',
      '1.0.0',
    ]);
  });
});
