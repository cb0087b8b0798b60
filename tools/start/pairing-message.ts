/**
 * What `npm start` says about pairing.
 * @param output of `admin pairing code`: the code, then a line for each address.
 */
export function pairingMessage(output: string): string | undefined {
  const [code = '', ...lines] = output.trim().split('\n');
  const addresses = lines.map((line) => line.split('\t')).filter(([, kind]) => kind !== 'cable');
  const [[address] = []] = addresses;
  if (!/^\d{10}$/.test(code) || address === undefined) return undefined;
  const others = addresses.slice(1).map(([url]) => url);
  return `To pair a phone with the app SMS Gateway for Android, within ten minutes:
  address ${address}${others.length > 0 ? `  (or ${others.join(', ')})` : ''}
  code    ${code.slice(0, 4)} ${code.slice(4, 7)} ${code.slice(7)}
  Another code, and where to get the app: Pair a phone, in the dashboard. Or: npm run admin -- pairing code
`;
}
