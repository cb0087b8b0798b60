import { canTransition, OUTGOING_STATUSES } from '../../src/messages/message-status';
import { DELIVERY_STATUSES } from '../../src/webhooks/deliveries/delivery.schema';
import { MarkdownPage } from '../support/markdown-page';

/** The transitions of a state diagram, as `from to`, without start and end. */
function movesIn(diagram = ''): string[] {
  return Array.from(diagram.matchAll(/^ *(\w+) --> (\w+):/gm), ([, from, to]) => `${from} ${to}`);
}

describe('docs/build/architecture.md', () => {
  const [message, delivery] = MarkdownPage.read('build/architecture.md')
    .codeBlocks('mermaid')
    .filter((diagram) => diagram.startsWith('stateDiagram-v2'));

  it('draws exactly the message transitions of the code', () => {
    const moves = OUTGOING_STATUSES.flatMap((from) =>
      OUTGOING_STATUSES.filter((to) => canTransition(from, to)).map((to) => `${from} ${to}`),
    );
    expect(movesIn(message).sort()).toEqual(moves.sort());
  });

  it('draws every state of a delivery', () => {
    const states = new Set(movesIn(delivery).flatMap((move) => move.split(' ')));
    expect([...states].sort()).toEqual([...DELIVERY_STATUSES].sort());
  });
});
