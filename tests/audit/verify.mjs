#!/usr/bin/env node
// Checks exported matches without any of our code: the file, the chain of hashes, the commitments, and every shuffle,
// die and lot of the deals, recomputed from seed, entropy and label. See VERIFYING.md.
//
//   node verify.mjs match.jsonl ...      exit status 0: all is right, 1: something is not
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

// ---------------------------------------------------------------- protobuf, as far as it is needed

/** The fields of a message: number -> list of values (numbers for varints, Buffers for the rest). */
function decode(buffer) {
  const fields = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (at >= buffer.length || shift > 63n) throw new Error("broken varint");
      const byte = buffer[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(value);
    }
  };
  while (at < buffer.length) {
    const key = varint();
    const number = key >>> 3;
    let value;
    if ((key & 7) === 0) value = varint();
    else if ((key & 7) === 2) {
      const length = varint();
      if (at + length > buffer.length) throw new Error("broken length");
      value = buffer.subarray(at, (at += length));
    } else throw new Error(`wire type ${key & 7}`);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const all = (message, field) => message.get(field) ?? [];
const last = (message, field) => all(message, field).at(-1);
const number = (message, field) => last(message, field) ?? 0;
const bytes = (message, field) => last(message, field) ?? Buffer.alloc(0);
const text = (message, field) => bytes(message, field).toString("utf8");
const inner = (message, field) => decode(bytes(message, field));
/** A repeated uint32: packed into one or more byte strings. */
const numbers = (message, field) =>
  all(message, field).flatMap((value) => {
    if (!Buffer.isBuffer(value)) return [value];
    const found = [];
    for (let at = 0; at < value.length; ) {
      let item = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = value[at++];
        item += (byte & 127) * 2 ** shift;
        if (byte < 128) break;
      }
      found.push(item);
    }
    return found;
  });

// ------------------------------------------------------------------------------------------ cards

const RANKS = "?A23456789TJQK";
const SUITS = "?CDHS";
const JOKERS = ["?", "BJ", "RJ"];
const card = (message) => RANKS[number(message, 1)] + SUITS[number(message, 2)];
const anyCard = (message) =>
  message.has(1) ? card(inner(message, 1)) : JOKERS[number(inner(message, 2), 1)];
const cards = (message, field) => all(message, field).map((item) => card(decode(item)));
const anyCards = (message, field) => all(message, field).map((item) => anyCard(decode(item)));

const bySuit = (suits, ranks) => [...suits].flatMap((suit) => [...ranks].map((rank) => rank + suit));
const HIGH_ACE = "23456789TJQKA";
const FRENCH = [..."A23456789TJQK"].flatMap((rank) => [..."CDHS"].map((suit) => rank + suit));
const SKAT = bySuit("CSHD", "789TJQKA");
const GUANDAN = [...bySuit("CDHS", HIGH_ACE), ...bySuit("CDHS", HIGH_ACE), "BJ", "BJ", "RJ", "RJ"];
const HOUSE = [...bySuit("CSHD", HIGH_ACE), ...bySuit("CSHD", HIGH_ACE), "BJ", "RJ"];
const mauMau = (jokers) => [
  ...bySuit("CSHD", HIGH_ACE),
  ...Array.from({ length: jokers }, (_, index) => JOKERS[1 + (index % 2)]),
];

// ----------------------------------------------------------------------------------------- chance

const sha256 = (...parts) => {
  const hash = createHash("sha256");
  parts.forEach((part) => hash.update(part));
  return hash.digest();
};

/** The draws of a match: HMAC-SHA256 under the draw key, 32-bit big-endian words, rejection. */
class Chance {
  constructor(matchId, seed, entropies) {
    const missing = Buffer.alloc(32);
    this.key = sha256("spielwerk|1|key", seed, ...entropies.map((e) => (e.length ? e : missing)));
    this.matchId = matchId;
  }

  words(label) {
    let counter = 0;
    let block = Buffer.alloc(0);
    return (bound) => {
      const limit = 2 ** 32 - (2 ** 32 % bound);
      for (;;) {
        if (!block.length) {
          const message = `spielwerk|1|${this.matchId}|${label}|${counter++}`;
          block = createHmac("sha256", this.key).update(message).digest();
        }
        const word = block.readUInt32BE(0);
        block = block.subarray(4);
        if (word < limit) return word % bound;
      }
    };
  }

  shuffle(label, order) {
    const below = this.words(label);
    const items = [...order];
    for (let index = items.length - 1; index > 0; index--) {
      const other = below(index + 1);
      [items[index], items[other]] = [items[other], items[index]];
    }
    return items;
  }

  die(label) {
    return 1 + this.words(label)(6);
  }

  choose(label, options) {
    return options[this.words(label)(options.length)];
  }
}

// ------------------------------------------------------- what each game draws, and where it stands
// Each entry gets the match (options, bots, chance), the event's field number and content, a memory
// for the match, and `check(label, stored, drawn)`.

const nth = (items, first, step) => items.filter((_, index) => index % step === first);

const GAMES = {
  cribbage: {
    field: 3,
    event({ chance, options }, kind, event, memory, check) {
      if (kind === 1) {
        // cut_for_deal: two in a row for each attempt
        memory.cuts = (memory.cuts ?? 0) + 1;
        const label = `cut/1/${Math.ceil(memory.cuts / 2)}`;
        const drawn = chance.shuffle(label, FRENCH)[(memory.cuts - 1) % 2];
        check(label, card(inner(event, 2)), drawn);
      } else if (kind === 2 && number(options, 3) === 2) {
        // dealer_chosen, by lot
        check("dealer/1", number(event, 1), chance.choose("dealer/1", [0, 1]));
      } else if (kind === 3) {
        // deal_started
        const label = `deal/${number(event, 1)}/${number(event, 2)}`;
        memory.deck = chance.shuffle(label, FRENCH);
        memory.dealer = number(event, 3);
        check(label, cards(event, 4), memory.deck);
      } else if (kind === 4) {
        const place = number(event, 1) === memory.dealer ? 1 : 0;
        check("the deal", cards(event, 2), nth(memory.deck.slice(0, 12), place, 2));
      } else if (kind === 6) {
        check("the starter", card(inner(event, 1)), memory.deck[12]);
      }
    },
  },
  skat: {
    field: 1,
    event({ chance }, kind, event, memory, check) {
      if (kind === 1) {
        // deal_started
        const label = `deal/${number(event, 1)}`;
        memory.deck = chance.shuffle(label, SKAT);
        memory.forehand = number(event, 3);
        check(label, cards(event, 6), memory.deck);
      } else if (kind === 2) {
        // cards_dealt: packets of three, (two for the skat,) four, three; hands are sorted
        all(event, 1).forEach((item) => {
          const holding = decode(item);
          const turn = (number(holding, 1) - memory.forehand + 3) % 3;
          const hand = [[0, 3], [11, 4], [23, 3]].flatMap(([start, size]) =>
            memory.deck.slice(start + turn * size, start + (turn + 1) * size),
          );
          check("a hand", cards(holding, 2).sort(), hand.sort());
        });
      }
    },
  },
  guandan: {
    field: 2,
    event({ chance }, kind, event, memory, check) {
      if (kind === 2) {
        // deal_started
        memory.game = number(event, 1);
        const label = `deal/${memory.game}/${number(event, 2)}`;
        const deck = chance.shuffle(label, GUANDAN);
        all(event, 4).forEach((item) => {
          const holding = decode(item);
          check(label, anyCards(holding, 2), nth(deck, number(holding, 1), 4));
        });
      } else if (kind === 3) {
        // leader_drawn
        const label = `leader/${memory.game}`;
        check(label, number(event, 1), chance.choose(label, [0, 1, 2, 3]));
      }
    },
  },
  maumau: {
    field: 4,
    event({ chance, options }, kind, event, memory, check) {
      if (kind === 1) {
        // game_started
        Object.assign(memory, { game: number(event, 1), pile: [], reshuffles: 0 });
        const label = `deal/${memory.game}`;
        check(label, anyCards(event, 3), chance.shuffle(label, mauMau(number(options, 2))));
      } else if (kind === 3 && !number(event, 2)) {
        memory.pile = [anyCard(inner(event, 1))]; // upcard_turned
      } else if (kind === 5) {
        memory.pile.push(anyCard(inner(event, 2))); // card_played
      } else if (kind === 10) {
        // talon_reshuffled: all of the pile but its last card
        const label = `reshuffle/${memory.game}/${++memory.reshuffles}`;
        const drawn = chance.shuffle(label, memory.pile.slice(0, -1));
        check(label, anyCards(event, 2), drawn);
        memory.pile = memory.pile.slice(-1);
      }
    },
  },
  yatzee: {
    field: 5,
    event({ chance }, kind, event, _memory, check) {
      if (kind !== 2) return; // dice_rolled
      const dice = numbers(event, 5);
      for (const position of numbers(event, 4)) {
        const place = [number(event, 2), number(event, 1), number(event, 3), position];
        const label = `die/${place.join("/")}`;
        check(label, dice[position], chance.die(label));
      }
    },
  },
  quartett: {
    field: 6,
    event({ chance, options, bots }, kind, event, memory, check) {
      if (kind === 1) {
        // game_started
        memory.game = number(event, 1);
        const label = `deal/${memory.game}`;
        const deck = all(inner(options, 2), 5).map((item) => text(decode(item), 1));
        memory.order = chance.shuffle(label, deck);
        if (memory.game === 1 && bots.filter((bot) => !bot).length !== 1) {
          check("first", number(event, 5), chance.choose("first", [0, 1]));
        }
      } else if (kind === 2) {
        // stack_dealt
        const stack = all(event, 2).map((item) => item.toString("utf8"));
        check(`deal/${memory.game}`, stack, nth(memory.order, number(event, 1), 2));
      }
    },
  },
  house_of_cards: {
    field: 7,
    event({ chance }, kind, event, _memory, check) {
      if (kind !== 1) return; // game_started
      check("stock", anyCards(event, 1), chance.shuffle("stock", HOUSE));
    },
  },
};

// ------------------------------------------------------------------------------------------ a match

const fail = (why) => {
  throw new Error(why);
};
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function readExport(path) {
  const file = readFileSync(path);
  const lines = file.toString("latin1").split("\n");
  if (lines.pop() !== "") fail("the file does not end with a line");
  const end = JSON.parse(lines.at(-1));
  const body = file.subarray(0, file.length - lines.at(-1).length - 1);
  if (end.messages !== lines.length - 2) fail("messages are missing");
  if (end.sha256 !== sha256(body).toString("hex")) fail("the file was changed");
  const header = JSON.parse(lines[0]);
  if (header.format !== "spielwerk-match" || header.version !== 1) fail("another format");
  return { matchId: header.match_id, messages: lines.slice(1, -1).map((line) => JSON.parse(line)) };
}

/** The match that a record names; "" if it names none or is no record. */
function matchNamedIn(stored) {
  try {
    return text(decode(stored), 1);
  } catch {
    return "";
  }
}

/** Whether the headers beside Sw-Record are a record's. */
function wellFormed(headers) {
  try {
    JSON.parse(headers["Sw-Turns"]);
  } catch {
    return false;
  }
  return headers["Sw-Game"] !== undefined && [headers["Sw-Version"], headers["Sw-Time"]].every((n) => /^\d+$/.test(n));
}

/** The records of the match, checked for chain and versions; foreign messages are left out. */
function readRecords({ matchId, messages }) {
  const records = [];
  let previous = Buffer.alloc(0);
  for (const { headers, data } of messages) {
    if (headers["Sw-Record"] === undefined) continue;
    const due = records.length + 1;
    const stored = Buffer.from(data, "base64");
    const named = matchNamedIn(stored);
    if (!named && stored.length && wellFormed(headers)) fail(`record ${due}: unreadable`);
    if (named !== matchId) continue;
    const record = decode(stored);
    if (number(record, 2) !== due) fail(`record ${due}: missing`);
    if (!bytes(record, 7).equals(previous)) fail(`record ${due}: its previous hash does not follow`);
    previous = sha256(stored);
    records.push({ record, headers });
  }
  if (!records.length) fail("there are no records");
  const end = records.at(-1);
  if (end.headers["Sw-Sha256"] !== previous.toString("hex")) fail(`record ${records.length}: its hash`);
  return records.map(({ record }) => record);
}

function verify(path) {
  const source = readExport(path);
  const records = readRecords(source);
  const opened = inner(decode(all(records[0], 5)[0]), 1);
  const ended = inner(decode(all(records.at(-1), 5).at(-1)), 5);
  const [seed, botSeed] = [bytes(ended, 3), bytes(ended, 4)];
  if (!sha256(seed).equals(bytes(opened, 7))) fail("the seed is not the committed one");
  if (!sha256(botSeed).equals(bytes(opened, 8))) fail("the bot seed is not the committed one");

  const key = text(opened, 1);
  const game = GAMES[key] ?? fail(`no draws are known of ${key}`);
  const bots = all(opened, 4).map((item) => decode(item).has(2));
  const entropies = bots.map(() => Buffer.alloc(0));
  const match = { options: inner(inner(opened, 3), game.field), bots, chance: null };
  const memory = {};
  let draws = 0;
  records.forEach((record, index) => {
    const check = (label, stored, drawn) => {
      if (!same(stored, drawn)) fail(`record ${index + 1}: ${label} is drawn otherwise`);
      draws += 1;
    };
    for (const item of all(record, 5).map(decode)) {
      if (item.has(2)) {
        const joined = inner(item, 2);
        entropies[number(joined, 1)] = bytes(joined, 2);
      } else if (item.has(6)) {
        match.chance ??= new Chance(source.matchId, seed, entropies);
        const event = inner(inner(item, 6), game.field);
        const [kind] = event.keys();
        game.event(match, kind, inner(event, kind), memory, check);
      }
    }
  });
  return { match_id: source.matchId, game: key, records: records.length, draws };
}

let status = 0;
for (const path of process.argv.slice(2)) {
  try {
    console.log(JSON.stringify(verify(path)));
  } catch (error) {
    console.log(JSON.stringify({ file: path, wrong: error.message }));
    status = 1;
  }
}
process.exit(status);
