/** Sentences in words of the shipped encoder; most of them have a twin with the same words in another order. */
export const examples = `the captain gave the rope to the sailor
the sailor gave the rope to the captain
the captain was given the rope by the sailor
the captain gave the net to the sailor
anna sold the ring to tom
tom sold the ring to anna
tom bought the ring from anna
the merchant stole the coin from the smith
the smith stole the coin from the merchant
the dog followed the cat
the cat followed the dog
the cat was seen by the girl
the king is older than the queen
the queen is older than the king
hugo ran from the harbour to the market
hugo ran from the market to the harbour
the village is north of the river
the river is north of the village
the lamp is above the chest
the chest is above the lamp
nora asked paul to open the door
paul asked nora to open the door
the poet slept before the singer laughed
the singer slept before the poet laughed
the queen was happy because the girl thanked her
the girl was happy because the queen thanked her
rosa gave the map to the pilot for the lamp
clara painted the boat
the cook baked some bread in the kitchen
the letter is in the bag`;
