#pragma once
/* Keys as they are pressed, where no whole screen is: questions and the picker, below the cursor. */

/*
 * From here on keys come as they are, Ctrl-C and Ctrl-Z too, nothing is echoed, and pastes are marked.
 * A signal that ends the program puts the terminal back first. Returns 0, or -1 when there is none.
 */
int raw_begin(void);
void raw_end(void);
/* The next key, however long it takes. KEY_NONE: a signal came; KEY_ENDED: the terminal is gone. */
int raw_key(void);
const char *raw_pasted(void); /* what KEY_PASTE was about, until the next one */
