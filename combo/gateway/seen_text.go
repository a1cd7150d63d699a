package gateway

// seenText finds the plan of a statement by its text, without parsing it: by its shape, or by the very text.
type seenText struct {
	text     planKey
	shape    planKey // the same key with the text's shape; empty query: it has none
	literals []textLiteral
	// learn: the shape is not known yet.
	learn bool
}

// find returns the plan and the bind variables of a text that was seen, nil for others. The bind variables are shared.
func (st *seenText) find(g *Gateway, bindVars BindVars) (*cachedPlan, BindVars) {
	if len(bindVars) == 0 {
		if query, literals, ok := shapeOf(st.text.query); ok {
			st.shape, st.literals = st.text, literals
			st.shape.query = query
			known, ok := g.shapes.get(st.shape)
			if ok && known.plan != nil {
				if vars := known.bindVars(literals); vars != nil {
					return known.plan, vars
				}
				return nil, nil
			}
			st.learn = !ok
		}
	}
	if len(st.text.query) > textLengthMax {
		return nil, nil
	}
	if cached, ok := g.texts.get(st.text); ok {
		return cached.plan, mergeVars(cached.literals, bindVars)
	}
	return nil, nil
}

// remember keeps the plan for the text's shape, or where that tells too little, for the very text.
func (st *seenText) remember(g *Gateway, n *normalised, plan *cachedPlan, bindVars BindVars) {
	if st.learn {
		if learned := learnShape(n, plan, st.literals); learned != nil {
			g.shapes.put(st.shape, learned)
			if learned.plan != nil {
				return
			}
		}
	}
	if len(st.text.query) <= textLengthMax {
		g.texts.put(st.text, textPlan{plan: plan, literals: literalsOf(n.bindVars, bindVars)})
	}
}

// mergeVars joins a statement's literals and the client's bind variables; neither is changed.
func mergeVars(literals, bindVars BindVars) BindVars {
	if len(bindVars) == 0 {
		return literals
	}
	if len(literals) == 0 {
		return bindVars
	}
	out := make(BindVars, len(literals)+len(bindVars))
	for name, value := range literals {
		out[name] = value
	}
	for name, value := range bindVars {
		out[name] = value
	}
	return out
}

// literalsOf returns the bind variables that came of the text, not of the client.
func literalsOf(all, given BindVars) BindVars {
	out := make(BindVars, len(all))
	for name, value := range all {
		if _, ok := given[name]; !ok {
			out[name] = value
		}
	}
	return out
}
