let offers = [];

/** Notes when each message is offered to a stream. */
exports.noteOffers = (PushClient) => {
  const { offer } = PushClient.prototype;
  PushClient.prototype.offer = function (target, offered) {
    const now = Date.now();
    for (const id of offered.ids) offers.push([id.toHexString(), now]);
    return offer.call(this, target, offered);
  };
};

/** Returns ids and epoch milliseconds since the last call. */
exports.takeOffers = () => {
  const taken = offers;
  offers = [];
  return taken;
};
