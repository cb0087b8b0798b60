import { failureReason, failureReasonWithFix } from './failure-reason';

describe('failureReasonWithFix', () => {
  it("puts the fix behind the phone's own words", () => {
    expect(failureReasonWithFix('4', 'no service')).toBe(`no service. ${failureReason('4')}`);
    expect(failureReasonWithFix('4', 'Not now!')).toBe(`Not now! ${failureReason('4')}`);
  });

  it('says nothing twice', () => {
    expect(failureReasonWithFix('4', failureReason('4'))).toBe(failureReason('4'));
    expect(failureReasonWithFix('4', undefined)).toBe(failureReason('4'));
    expect(failureReasonWithFix(undefined, undefined)).toBe(failureReason(undefined));
  });
});
