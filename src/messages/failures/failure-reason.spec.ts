import { failureReason, failureReasonWithFix } from './failure-reason';

describe('failureReasonWithFix', () => {
  it('appends the fix to the text reported by the phone', () => {
    expect(failureReasonWithFix('4', 'no service')).toBe(`no service. ${failureReason('4')}`);
    expect(failureReasonWithFix('4', 'Not now!')).toBe(`Not now! ${failureReason('4')}`);
  });

  it('does not repeat the fix', () => {
    expect(failureReasonWithFix('4', failureReason('4'))).toBe(failureReason('4'));
    expect(failureReasonWithFix('4', undefined)).toBe(failureReason('4'));
    expect(failureReasonWithFix(undefined, undefined)).toBe(failureReason(undefined));
  });
});
